"""Figure 3.5: coverage of five mechanisms over k, for queries, query pairs and query–click pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from crowdlog.reproduce.bench import Bench, Coverage
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.shapes import always_above, falls, rises
from crowdlog.reproduce.studies.feild_release import (
    ARTIFACTS,
    NO_PAIRS,
    PAPER,
    PRIVATE,
    SETUP,
    largest_d,
    private,
    without_noise,
)
from crowdlog.reproduce.study import Claim, Panel, Result, Study

KS = (2, 5, 10, 20, 50, 100, 199)  # "for k < 200"
MECHANISMS = ("FT_a", "FT_u", *PRIVATE)
NOTE = (
    "The thesis prints no value of this figure, so all are ours. "
    "For each k a mechanism with noise gets the largest d whose threshold is at most k; "
    "where even d = 1 has a higher threshold it has no value."
)
Curve = Mapping[int, Coverage]
Found = Mapping[str, Mapping[str, Curve]]  # artifact, mechanism


def run(bench: Bench) -> Result:
    found = measured(bench)
    panels = [
        _panel(
            f"{kind} coverage of {name}",
            f"% of {what}",
            {m: {k: 100 * getattr(one, field) for k, one in of.items()} for m, of in found[artifact].items()},
        )
        for artifact, name in ARTIFACTS.items()
        for kind, field, what in (
            ("Impression", "volume", "impressions"),
            ("Distinct", "distinct", f"distinct {name}"),
        )
    ]
    return Result(panels, claims(found), f"{NOTE} {SETUP}")


def measured(bench: Bench) -> Found:
    found: dict[str, dict[str, dict[int, Coverage]]] = {
        artifact: {name: {} for name in MECHANISMS} for artifact in ARTIFACTS
    }
    for artifact, name, k in bench.each([(a, m, k) for a in ARTIFACTS for m in MECHANISMS for k in KS]):
        d = largest_d(name, k) if name in PRIVATE else 0
        if d or name not in PRIVATE:
            mechanism = private(name, d, artifact) if d else without_noise(name, k, artifact)
            found[artifact][name][k] = bench.coverage(mechanism, bench.log)
    return found


def claims(found: Found) -> list[Claim]:
    """Statements about noise are asked of the kinds of artifact of which anything is shown with noise; they
    say which.
    """
    some = {
        artifact: of
        for artifact, of in found.items()
        if any(one.shown for name in PRIVATE for one in of[name].values())
    }
    own = (
        "one person repeats her own queries often in our log (next pages of results are impressions too), "
        "which FT_a counts and FT_u does not"
    )
    return [
        _of(
            "The distinct coverage is extremely low even at very low values of k (below 10 % at k = 5).",
            found,
            _rare,
        ),
        _of(
            "The two frequency thresholds always produce higher coverage than the mechanisms with noise, for "
            "k < 200.",
            found,
            _thresholds_win,
        ),
        _of(
            "FT_a and FT_u are very similar (impressions within a factor of 1.5).",
            found,
            lambda of: _similar(of, "FT_a", "FT_u", 1.5),
            own,
        ),
        _of("FT_a generally releases more than FT_u.", found, _artifacts_win),
        _of(
            "DP_a and DP_u perform quite similarly (impressions within a factor of two).",
            some,
            lambda of: _similar(of, "DP_a", "DP_u", 2),
        ),
        _of("ZEALOUS consistently provides the lowest coverage.", some, _zealous_last),
        _of("With frequency thresholds coverage falls as k increases.", found, _falls_without_noise),
        _of("With DP_a and DP_u impression coverage increases with k, because d does.", some, _volume_rises),
        _of("With DP_a and DP_u distinct coverage falls as k increases.", some, _distinct_falls),
    ]


def _of(text: str, found: Found, holds: Callable[[Mapping[str, Curve]], bool], why: str = "") -> Claim:
    failed = [ARTIFACTS[artifact] for artifact, of in found.items() if not holds(of)]
    if len(found) < len(ARTIFACTS):
        text += (
            f" (Asked of {' and '.join(ARTIFACTS[artifact] for artifact in found) or 'nothing'}: {NO_PAIRS}.)"
        )
    return Claim(
        text,
        bool(found) and not failed,
        f"not of {' and '.join(failed) or 'anything'}" + (f": {why}" if why else ""),
    )


def _rare(of: Mapping[str, Curve]) -> bool:
    return max(of[name][5].distinct for name in ("FT_a", "FT_u")) < 0.1


def _thresholds_win(of: Mapping[str, Curve]) -> bool:
    return all(
        always_above(
            [getattr(of[upper][k], field) for k in of[lower]],
            [getattr(one, field) for one in of[lower].values()],
        )
        for upper in ("FT_a", "FT_u")
        for lower in PRIVATE
        for field in ("distinct", "volume")
    )


def _artifacts_win(of: Mapping[str, Curve]) -> bool:
    return always_above(
        [one.volume for one in of["FT_a"].values()], [one.volume for one in of["FT_u"].values()]
    )


def _similar(of: Mapping[str, Curve], first: str, second: str, factor: float) -> bool:
    pairs = [(one.volume, of[second][k].volume) for k, one in of[first].items()]
    return any(max(pair) > 0 for pair in pairs) and all(max(pair) <= factor * min(pair) for pair in pairs)


def _zealous_last(of: Mapping[str, Curve]) -> bool:
    """Where it has no d it releases nothing."""
    ours = [of["ZEALOUS"][k].volume if k in of["ZEALOUS"] else 0.0 for k in of["DP_u"]]
    return all(always_above([of[name][k].volume for k in of["DP_u"]], ours) for name in ("DP_a", "DP_u"))


def _falls_without_noise(of: Mapping[str, Curve]) -> bool:
    return all(
        falls([getattr(one, field) for one in of[name].values()])
        for name in ("FT_a", "FT_u")
        for field in ("distinct", "volume")
    )


def _volume_rises(of: Mapping[str, Curve]) -> bool:
    return all(rises([one.volume for one in of[name].values()]) for name in ("DP_a", "DP_u"))


def _distinct_falls(of: Mapping[str, Curve]) -> bool:
    return all(falls([one.distinct for one in of[name].values()]) for name in ("DP_a", "DP_u"))


def _panel(title: str, what: str, values: Mapping[str, Mapping[int, float]]) -> Panel:
    points = [Point(k, y, name) for name, of in values.items() for k, y in of.items()]
    rows = [[k, *(values[name].get(k) for name in MECHANISMS)] for k in KS]
    return Panel(
        title, ["k", *MECHANISMS], rows, curves(points, x="threshold k", y=what, log_x=True, log_y=True)
    )


STUDY = Study(
    "feild-figure-3.5", f"{PAPER}, Figure 3.5", "How much five mechanisms show, by threshold k", run
)
