"""The sites that URLs lead to, as a tree: `example.com` is above `shop.example.com`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore
from crowdlog.progress import progress_bar

# Most URLs; all others are read one by one.
_PLAIN = r"^https?://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?:/.*)?$"
_WWW = r"^www\.([^.]+\..+)$"
_FIRST_LABEL = r"^[^.]*\."


def labels_of(url: str) -> tuple[str, ...]:
    """The labels of a URL's host from the right, without 'www': ('com', 'example')."""
    address = url if "//" in url else f"//{url}"
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        host = ""
    labels = [label for label in host.lower().split(".") if label]
    return tuple(reversed(labels[1:] if labels[:1] == ["www"] and len(labels) > 2 else labels))


def hosts_of(urls: Any) -> Any:
    """The host of each URL of an arrow array, without 'www'; empty where there is none."""
    plain: Any = pc.struct_field(pc.extract_regex(urls, _PLAIN), "host")
    others = np.flatnonzero(np.asarray(plain.is_null()))
    hosts = pc.replace_substring_regex(plain, _WWW, r"\1")
    if not len(others):
        return hosts
    read = [".".join(reversed(labels_of(url))) for url in urls.take(pa.array(others)).to_pylist()]
    return pc.replace_with_mask(hosts, plain.is_null(), pa.array(read, pa.string()))


@dataclass(frozen=True, repr=False)
class HostTree:
    """Hosts and everything they end in. A site has a smaller number than those below it; `above` is −1 for
    the last label alone, and `depth` is its number of labels.
    """

    name: Any  # an arrow array of strings
    depth: NDArray[np.int32]
    above: NDArray[np.int32]
    of_url: NDArray[np.int32]  # −1 for what has no host

    def __len__(self) -> int:
        return len(self.depth)

    def labels(self, site: int) -> tuple[str, ...]:
        """The labels of a site from the right."""
        return tuple(reversed(self.name[site].as_py().split(".")))

    def common(self, one: int, other: int) -> int:
        """The longest ending that two sites share; −1 if there is none."""
        while one != other and one >= 0 and other >= 0:
            if self.depth[one] >= self.depth[other]:
                one = int(self.above[one])
            else:
                other = int(self.above[other])
        return one if one == other else -1


def read_sites(log: LogStore) -> HostTree:
    """The sites of all URLs of a log."""
    hosts = []
    with progress_bar("Reading sites", log.info.urls, unit="sites") as advance:
        for batch in batches(log.urls(), ["text"]):
            hosts.append(hosts_of(batch["text"]))
            advance(len(batch))
    return _tree_of(pa.chunked_array(hosts, pa.string()))


def sites_of(urls: Any) -> HostTree:
    """The sites of an arrow array of URLs, in their order."""
    return _tree_of(pa.chunked_array([hosts_of(urls)]))


def _tree_of(hosts: Any) -> HostTree:
    encoded: Any = hosts.combine_chunks().dictionary_encode()
    different: Any = encoded.dictionary
    depth = np.asarray(pc.count_substring(different, ".")) + 1
    depth[np.asarray(pc.binary_length(different)) == 0] = 0
    levels = _levels(different, depth)
    first = np.cumsum([0, *(len(level) for level in levels)])
    number = np.full(len(different), -1, np.int32)
    above = np.full(first[-1], -1, np.int32)
    for i, level in enumerate(levels):
        here = depth == i + 1
        number[here] = first[i] + _places(different.filter(pa.array(here)), level)
        if i:
            above[first[i] : first[i + 1]] = first[i - 1] + _places(_shorter(level), levels[i - 1])
    return HostTree(
        pa.concat_arrays([pa.array([], pa.string()), *levels]),
        np.repeat(np.arange(1, len(levels) + 1), np.diff(first)).astype(np.int32),
        above,
        number[encoded.indices.to_numpy()],
    )


def _levels(hosts: Any, depth: NDArray[Any]) -> list[Any]:
    """The different endings of one label, of two, …"""
    levels: list[Any] = []
    for labels in range(int(depth.max(initial=0)), 0, -1):
        own = hosts.filter(pa.array(depth == labels))
        below = [_shorter(levels[-1])] if levels else []
        levels.append(pa.concat_arrays([own, *below]).unique())
    return levels[::-1]


def _shorter(names: Any) -> Any:
    return pc.replace_substring_regex(names, _FIRST_LABEL, "")


def _places(names: Any, among: Any) -> NDArray[Any]:
    return np.asarray(pc.index_in(names, value_set=among), np.int32)
