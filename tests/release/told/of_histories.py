"""Sentences of mechanisms that compare queries or whole histories: semantic k-anonymity, microaggregation."""

from __future__ import annotations

from typing import Any

from crowdlog.artifacts.semantic.word_rule import PAPER
from tests.release.told.truths import Filled, True_, by

semantic = by("SemanticKAnonymity")
mdav = by("Mdav")
by_rows = by("Mdav", where=lambda made: made.distance == "syntactic")
odp = by("OdpClusters")
by_meaning = by("SemanticMdav")
clusters = by("Mdav", "OdpClusters", "SemanticMdav")


def sizes(made: Any) -> tuple[object, ...]:
    return made.k, 2 * made.k - 1


def no_names(made: Any) -> str:
    return ", and no name of a person unless as many typed the whole text" if made.names == "block" else ""


def compares(made: Any) -> bool:
    return bool(made.theta < 1)


def samples(made: Any) -> bool:
    return bool(made.sample > 0 and made.theta < 1)


OF_HISTORIES: dict[str, dict[str, True_]] = {
    "mechanisms/mdav.py": {
        "The Hausdorff part of d_φ": by_rows,
        "The square roots of eq. 5.1": by_rows,
        "Host labels: m + 1 of them": by_rows,
        "A query without a click has rank 0": by_rows,
        "The centroid of all users gives": by_rows,
        "A representative's shares are rounded": mdav,
        "Time and rank are means over": mdav,
        "Distances are whole numbers": by("Mdav", "SemanticMdav"),
        "MDAV makes clusters of": Filled(mdav, lambda made: (*sizes(made), made.distance)),
        "Each user gives her share of rows": mdav,
    },
    "mechanisms/microaggregation.py": {
        "A representative's texts are somebody's": clusters,
        "What all users of a cluster have": clusters,
        "Times of rows are real times": clusters,
        "Which users are alike is decided": clusters,
        "Two releases of one log": clusters,
        "Clusters have k … 2k − 1 users": clusters,
        "at once up to {} users": Filled(clusters, lambda made: (f"{made.exact:,}", made.swaps)),
        ", and no name of a person": by(
            "Mdav", "OdpClusters", "SemanticMdav", where=lambda made: made.names == "block"
        ),
        "Show only words of at least": Filled(clusters, lambda made: (made.rule.users, no_names(made))),
        "users of the smallest cluster": clusters,
        "users of the largest cluster": clusters,
        "users whose record is empty": clusters,
        "least users of every word": lambda label: clusters(label) or semantic(label),
        "Every user of a cluster gets": clusters,
        "among all users at once": lambda label: clusters(label) and label.notes["blocks"] == 1,
        "in {} blocks of similar users, each by itself": lambda label: (
            clusters(label) and label.notes["blocks"] > 1
        ),
        "the middle found once": by("SemanticMdav", where=lambda made: made.medoid == "once"),
        "then up to {} {} of swaps": by(
            "Mdav", "OdpClusters", "SemanticMdav", where=lambda made: made.swaps > 0
        ),
    },
    "mechanisms/odp_clusters.py": {
        "Eq. 5.5 intersects sets": odp,
        "Algorithm 3 fills the diagonal": odp,
        "Algorithm 4's loop runs": odp,
        "Algorithm 5 adds the column": odp,
        "Contrib·repetitions above 1": odp,
        "Quotas are rounded by largest": odp,
        "A row of the representative is": odp,
        "The first {} of each word": Filled(odp, lambda made: (made.categories, made.levels)),
        "The most similar users are joined": Filled(odp, lambda made: (made.k,)),
        "Queries by falling repetitions": odp,
    },
    "mechanisms/semantic_mdav.py": {
        "A user whose queries map to nothing": by_meaning,
        "Ties of the medoid": by_meaning,
        "Eq. 5.15 sorts a user's categories": by_meaning,
        "A user's quota is rounded": by_meaning,
        "A category is replaced by": by_meaning,
        "The paper names no time": by_meaning,
        "Distances are whole numbers": by("Mdav", "SemanticMdav"),
        "Noun phrases of each query": by_meaning,
        "MDAV makes clusters of": Filled(by_meaning, sizes),
        "Categories nearest to the cluster's": by_meaning,
    },
    "mechanisms/semantic_k_anonymity.py": {
        "Words stand between blanks": semantic,
        "At Θ = 1 only the same text": semantic,
        "The degree counts the distinct users": semantic,
        "A query without concepts stands alone": semantic,
        "the paper lets every word of two": by("SemanticKAnonymity", where=lambda made: made.rule != PAPER),
        "{} stands alone, too; {}": by("SemanticKAnonymity", where=lambda made: made.rule != PAPER),
        "Words and phrases of at least": Filled(semantic, lambda made: (made.min_users,)),
        "{} is compared with no other": semantic,
        "A query with a word of fewer than": semantic,
        ", or with the name of a person,": by("SemanticKAnonymity", where=lambda made: made.names == "block"),
        "Only queries of the same text": by("SemanticKAnonymity", where=lambda made: made.theta == 1),
        "Two queries are affine when": Filled(
            by("SemanticKAnonymity", where=compares), lambda made: (f"{made.theta:g}",)
        ),
        "Publish what {} random queries": Filled(
            by("SemanticKAnonymity", where=samples), lambda made: (made.sample, made.k)
        ),
        "Publish the largest set in which": Filled(
            by("SemanticKAnonymity", where=lambda made: not samples(made)), lambda made: (made.k,)
        ),
        "A word that at least {} users": Filled(semantic, lambda made: (made.rule.users,)),
        "Affine queries are interchangeable": semantic,
        "A published query may have one author": by("SemanticKAnonymity", where=compares),
        " Words of fewer than {} people": Filled(
            by("SemanticKAnonymity", where=lambda made: compares(made) and made.rule.users < made.k),
            lambda made: (made.k, made.rule.users),
        ),
        " Names of persons are published with it.": by(
            "SemanticKAnonymity", where=lambda made: compares(made) and made.names == "allow"
        ),
        "The log has fewer than {} users": Filled(  # of 400
            by("SemanticKAnonymity", where=compares),
            lambda made: (f"{1000 * made.min_users:,}", made.min_users),
        ),
        "queries with a word of fewer than": Filled(semantic, lambda made: (made.k,)),
        "{}, released by the paper's rule": semantic,
        "semantic k-anonymity of queries": semantic,
        "least users of a concept": semantic,
        "least users of every word": lambda label: clusters(label) or semantic(label),
    },
}
