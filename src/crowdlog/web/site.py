"""`crowdlog site`: the public half as a static folder. Made of release folders alone: no store, no log."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crowdlog import __version__
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.files.whole import new_folder
from crowdlog.number_format import number, rounded_up
from crowdlog.pages.render import render
from crowdlog.pages.table import Cell, PageTable
from crowdlog.release.export import write_delimited
from crowdlog.release.folder import LABEL, Release
from crowdlog.release.meaning import meaning_for_one_person
from crowdlog.release.page import release_page, rows_told
from crowdlog.web.croissant import croissant, dataset_card
from crowdlog.web.registry_entry import Curator, registry_entry

_READ = "page.html"
_SEARCHED = 20_000  # rows that the search page holds: about 1 MB


@dataclass(frozen=True)
class SiteTexts:
    """What only the institution can say."""

    title: str = "What was searched for"
    institution: str = "the owner of the log"
    contact: str = ""
    purpose: str = "To show what people search for, never what a person did."
    licence: str = "https://creativecommons.org/licenses/by/4.0/"
    logo: str | None = None  # as `picture` makes it
    kind: str = Curator.kind
    region: str = Curator.region
    sector: str = Curator.sector

    def __post_init__(self) -> None:
        _ = self.curator  # what the registry would not take is refused before anything is written

    @property
    def curator(self) -> Curator:
        return Curator(self.institution, self.contact, self.purpose, self.kind, self.region, self.sector)


@dataclass(frozen=True)
class Listed:
    """A release as the list shows it."""

    name: str
    date: str
    mechanism: str
    epsilon: str
    rows: str
    meaning: str
    downloads: tuple[str, ...]


def make_site(folders: Sequence[Path], out: Path, texts: SiteTexts, *, i_know: bool = False) -> list[Release]:
    """Write the site for all releases below the folders, newest first. An older site at `out` is replaced."""
    releases = find_releases(folders)
    for release in releases:
        release.check()
        if not release.label.promise.guarantee.protects and not i_know:
            raise PrivacyRefusal(
                f"{release.path} promises nothing to anybody. Leave it out of the site, or add --i-know."
            )
    _refuse_other(out)
    with new_folder(out.resolve(), replaces=True) as folder:  # a link to the site stays one
        listed = [_publish(release, folder / "releases", texts) for release in releases]
        _write_index(folder, listed, releases, texts)
        _write_search(folder, releases, texts)
        (folder / ".crowdlog-site").write_text(__version__ + "\n", encoding="utf-8")
    return releases


def find_releases(folders: Sequence[Path]) -> list[Release]:
    """The releases that these folders are or hold, newest first."""
    found: dict[Path, Release] = {}
    for folder in folders:
        places = (
            [folder] if (folder / LABEL).is_file() else sorted(p.parent for p in folder.glob(f"*/{LABEL}"))
        )
        if not places:
            raise InputError(
                f"There is no release in {folder}. Make one with: crowdlog release STORE … -o OUT"
            )
        found.update({place.resolve(): Release.open(place) for place in places})
    return sorted(found.values(), key=lambda release: (release.label.date, release.path.name), reverse=True)


def _refuse_other(out: Path) -> None:
    """Only a folder that an earlier run made is replaced."""
    if out.exists() and not (out / ".crowdlog-site").is_file():
        raise InputError(f"{out} exists already and is no site of crowdlog. Choose another place.")


def _publish(release: Release, folder: Path, texts: SiteTexts) -> Listed:
    """The release's own page and label, tables in two formats, and what catalogues read."""
    release.check()
    target = folder / release.path.name
    target.mkdir(parents=True)
    name = f"{texts.title}, {release.path.name}"
    files = {}
    tables = {}
    for table in release.tables:
        data = release.table(table)
        if data is None:
            continue
        tables[table] = data
        # the very file whose hash the label holds: readers verify what they download
        files[table] = Path(shutil.copy(release.path / f"{table}.parquet", target))
        write_delimited(data, target / f"{table}.csv", ",")
    for own in (LABEL, "label.md", "explanation.md", "index.html"):
        if (release.path / own).is_file():
            shutil.copy(release.path / own, target / own)
    label = release.label
    # index.html stays as it is, to be verified; people read the same under the site's title and logo
    read = release_page(label, tables, title=name, logo=texts.logo)
    (target / _READ).write_text(read, encoding="utf-8")
    (target / "croissant.json").write_text(
        croissant(release, files, name, texts.institution, texts.licence), encoding="utf-8"
    )
    (target / "README.md").write_text(
        dataset_card(release, name, texts.institution, texts.licence), encoding="utf-8"
    )
    guarantee = label.promise.guarantee
    if guarantee.protects:
        entry = registry_entry(label, name=name, curator=texts.curator)
        (target / "registry.yaml").write_text(entry, encoding="utf-8")
    return Listed(
        release.path.name,
        label.date,
        " and ".join(label.mechanisms),
        rounded_up(guarantee.epsilon),
        ", ".join(map(" ".join, rows_told(label))),
        meaning_for_one_person(guarantee),
        tuple(sorted(path.name for path in target.iterdir() if path.name not in ("index.html", _READ))),
    )


def _write_index(
    folder: Path, listed: Sequence[Listed], releases: Sequence[Release], texts: SiteTexts
) -> None:
    page = render(
        "site.html", texts=texts, logo=texts.logo, listed=listed, sums=_sums(releases), version=__version__
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def _sums(releases: Sequence[Release]) -> PageTable:
    """ε and δ of the releases of each log, and of all together: whose people are in several logs, such as
    those of two months, a label does not tell.
    """
    by_source: dict[str, list[Release]] = {}
    for release in releases:
        by_source.setdefault(release.label.source, []).append(release)
    logs = {f"log {i}": together for i, together in enumerate(by_source.values(), 1)}
    if len(logs) > 1:
        logs["all together"] = list(releases)
    rows = []
    for name, together in logs.items():
        guarantees = [release.label.promise.guarantee for release in together]
        rows.append(
            [
                Cell(name),
                Cell(number(len(together)), numeric=True),
                Cell(rounded_up(sum(g.epsilon for g in guarantees)), numeric=True),
                Cell(rounded_up(sum(g.delta for g in guarantees)), numeric=True),
            ]
        )
    return PageTable("Spent so far", ("log", "releases", "sum of ε", "sum of δ"), rows)


def _write_search(folder: Path, releases: Sequence[Release], texts: SiteTexts) -> None:
    """Released queries with their counts, for a page that searches in the reader's own browser."""
    rows: list[list[object]] = []
    for release in releases:
        table = release.table("queries") if "queries" in release.tables else None
        if table is not None:
            part = table.slice(0, max(_SEARCHED - len(rows), 0)).to_pydict()
            rows += [[q, c, release.path.name] for q, c in zip(part["query"], part["count"], strict=True)]
    # "</" would end the script in which the data stand
    data = json.dumps(rows, ensure_ascii=False).replace("</", "<\\/")
    (folder / "searched.js").write_text(f"const SEARCHED = {data};\n", encoding="utf-8")
    page = render("site_search.html", texts=texts, logo=texts.logo, rows=len(rows), version=__version__)
    (folder / "search.html").write_text(page, encoding="utf-8")
