"""A person's own labels beside the crowd's model (Feild 2013, §5.3): four settings and their integrations.

`global` takes the crowd's scores alone. `gscore` (GScoreLCluster) clusters them under her labels. `local`
learns from her own labels, on values that are not binned. `lgmean` (LGMean) takes the mean of both scores;
`min`, `max` and `product` are the integrations that the study compares it with.
"""

from __future__ import annotations

import numpy as np

from crowdlog.applications.frame import Sheet, join_scores
from crowdlog.applications.tasks.clustering import average_link, single_link
from crowdlog.applications.tasks.find import SearchBlock
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.pair_features import pair_matrix
from crowdlog.applications.tasks.pair_scores import score_matrix, scorer
from crowdlog.applications.tasks.train import LabelledPairs, fit
from crowdlog.types import Floats, Ints

SHEET = Sheet(
    artifacts="labelled, binned feature vectors of pairs of searches",
    global_preprocessing="train a same-task model on the released vectors",
    local_preprocessing="train a same-task model on the person's own labelled pairs, not binned",
    input="the person's searches",
    request="nothing: the model is downloaded whole",
    server_processing="none",
    response="the model, one file",
    integration="the crowd's scores clustered under her labels (GScoreLCluster), or the mean of both models' "
    "scores (LGMean)",
    output="the task of each search",
)


def find_with_labels(block: SearchBlock, model: TaskModel, known: Ints, merge: str) -> Ints:
    """`find_tasks`, with the tasks she gave to some of the block's searches (−1 where none)."""
    out = np.empty(len(block.rows), np.int64)
    for begin, end in zip(block.parts[:-1], block.parts[1:], strict=True):
        mine = known[begin:end]
        scores = _scores(block, model, mine, merge, int(begin), int(end))
        labels = np.full(len(mine), -1) if merge == "global" else mine
        cluster = average_link if model.link == "average" else single_link
        out[begin:end] = begin + cluster(scores, labels, model.eta)
    return out


def _scores(block: SearchBlock, model: TaskModel, known: Ints, merge: str, begin: int, end: int) -> Floats:
    if merge in ("global", "gscore"):
        return theirs(block, model, begin, end)
    local = _own_model(block, known, begin)
    if local is None:  # without two labels there is nothing to learn from
        return theirs(block, model, begin, end)
    ours = theirs(block, local, begin, end)
    if merge == "local":
        return ours
    found: Floats = join_scores(
        "mean" if merge == "lgmean" else merge, ours, theirs(block, model, begin, end)
    )
    return found


def theirs(block: SearchBlock, model: TaskModel, begin: int, end: int) -> Floats:
    """A model's scores of all pairs of a part of a block."""
    scores: Floats = score_matrix(block.people, scorer(model), begin, end).astype(np.float64)
    return scores


def _own_model(block: SearchBlock, known: Ints, begin: int) -> TaskModel | None:
    labelled = np.flatnonzero(known >= 0)
    if len(labelled) < 2:
        return None
    first, second = np.triu_indices(len(labelled), 1)
    first, second = labelled[first], labelled[second]
    same = (known[first] == known[second]).astype(np.float64)
    vectors = pair_matrix(block.people, begin + first, begin + second)
    person = np.zeros(len(same), np.int64)
    return fit(LabelledPairs(vectors, same, np.ones(len(same)), person), "boost", "none")
