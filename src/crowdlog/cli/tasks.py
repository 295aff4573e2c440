"""`crowdlog tasks`: which searches of a person serve one purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crowdlog.cli.options import FileToWrite, ZeroToOne
from crowdlog.cli.output import InOrderOfUse, json_option, show_fields, show_json, show_scores

LEARNERS = ("boost", "forest", "lucchese")
BINS = ("none", "bin1", "bin2")

log_argument = click.argument("log", type=click.Path())
labels_option = click.option(
    "--labels", required=True, help="The task file: AnonID, QueryTime, Query, Task and perhaps Unit."
)
text_option = click.option(
    "--text", default="none", help="A file of word vectors instead of the built-in similarity of stems."
)
repeats_option = click.option(
    "--keep-repeats", is_flag=True, help="Adjacent equal queries of a person are several searches."
)
learner_option = click.option("--learner", type=click.Choice(LEARNERS), default="boost", show_default=True)
link_option = click.option("--link", type=click.Choice(["average", "single"]), default="average")
seed_option = click.option("--seed", default=0, help="The same input and seed give the same bytes.")


@click.group("tasks", cls=InOrderOfUse)
def command() -> None:
    """Find search tasks, train models for it and score them.

    \b
    Example: crowdlog tasks find LOG.tsv --model default -o FOUND.tsv
    """


def _vectors(text: str) -> Any:
    from crowdlog.applications.tasks.word_vectors import read_word_vectors
    from crowdlog.errors import InputError

    if text == "minilm" and not Path(text).exists():
        raise InputError("MiniLM is not part of crowdlog: give a file of word vectors with --text, or none.")
    return None if text == "none" else read_word_vectors(text)


def _refuse_other_text(model: Any, text: str) -> None:
    from crowdlog.errors import InputError

    if model.text == "vectors" and text == "none":
        raise InputError("This model was trained with word vectors. Give the same file with --text.")


@command.command("train")
@click.argument("log", type=click.Path(), required=False)
@click.option("--labels", help="The task file: AnonID, QueryTime, Query, Task and perhaps Unit.")
@click.option("--crowd-log", help="A release of vectors instead of a log and labels.")
@click.option("--bins", type=click.Choice(BINS), help="none, unless it learns from a release: then its own.")
@click.option(
    "--learner", type=click.Choice(LEARNERS), help="boost, unless it learns from a release: then forest."
)
@link_option
@text_option
@repeats_option
@seed_option
@click.option("-o", "--out", required=True, type=FileToWrite(), help="The model: one JSON file.")
@json_option
def train_command(
    log: str | None,
    labels: str | None,
    crowd_log: str | None,
    bins: str | None,
    learner: str | None,
    link: str,
    text: str,
    keep_repeats: bool,
    seed: int,
    out: str,
    as_json: bool,
) -> None:
    """Train a task model from a labelled log, or from a release of vectors alone.

    \b
    Example: crowdlog tasks train LOG.tsv --labels TASKS.tsv -o MODEL.json
    """
    from crowdlog.errors import InputError

    if (crowd_log is None) == (log is None or labels is None):
        raise InputError("Give either a LOG with --labels, or --crowd-log RELEASE.")
    if crowd_log is not None:
        from crowdlog.applications.tasks.crowd_log import train_from_release

        if learner == "lucchese":
            raise InputError(
                "Lucchese's model learns no trees, and a release has no texts to choose its threshold on: "
                "give --learner forest or boost, or a LOG with --labels."
            )
        if bins is not None:
            raise InputError("The vectors of a release have their bins already: leave out --bins.")
        model = train_from_release(crowd_log, learner=learner or "forest", link=link, seed=seed)
    else:
        from crowdlog.applications.tasks.commands import train_on_log

        model = train_on_log(
            log or "",
            labels or "",
            vectors=_vectors(text),
            keep_repeats=keep_repeats,
            learner=learner or "boost",
            bins=bins or "none",
            link=link,
            seed=seed,
        )
    model.save(out)
    size = Path(out).stat().st_size
    if as_json:
        show_json(
            {"model": out, "learner": model.learner, "bins": model.bins, "eta": model.eta, "bytes": size}
        )
        return
    click.echo(f"{out}: {model.learner}, bins {model.bins}, η = {model.eta:g}, {size:,} bytes")


@command.command("vectors")
@log_argument
@labels_option
@click.option("--bins", type=click.Choice(BINS[1:]), default="bin1", show_default=True)
@click.option(
    "--domain", type=FileToWrite(), help="Also write every vector that there can be here: a public list."
)
@text_option
@repeats_option
@seed_option
@click.option("-o", "--out", required=True, help="A new store; release it with any mechanism.")
@json_option
def vectors_command(
    log: str,
    labels: str,
    bins: str,
    domain: str | None,
    text: str,
    keep_repeats: bool,
    seed: int,
    out: str,
    as_json: bool,
) -> None:
    """Write labelled feature vectors of pairs of searches as artifacts that mechanisms release.

    \b
    Example: crowdlog tasks vectors LOG.tsv --labels TASKS.tsv --bins bin1 -o VECTORS
    """
    from crowdlog.applications.tasks.commands import vectors_of_log

    store = vectors_of_log(
        log,
        labels,
        out,
        bins=bins,
        domain=domain,
        vectors=_vectors(text),
        keep_repeats=keep_repeats,
        seed=seed,
    )
    figures = {
        "store": out,
        "people": store.info.users,
        "vectors": store.info.rows,
        "distinct": store.info.queries,
    }
    show_json(figures) if as_json else show_fields(figures)


@command.command("find")
@log_argument
@click.option("--model", default="default", show_default=True, help="A model's file, or the shipped one.")
@click.option("--baseline", help="Instead of a model: time-gap, geometric, cascade, qc-wcc, qc-htc, …")
@click.option("--known", help="A task file with what people said themselves.")
@click.option("--within", type=click.Choice(["history", "session"]), default="history", show_default=True)
@click.option(
    "--link", type=click.Choice(["average", "single"]), help="How to cluster, if not the model's way."
)
@click.option(
    "--merge",
    type=click.Choice(["global", "gscore", "lgmean", "local", "min", "max", "product"]),
    help="How the model joins with what is known: gscore, if anything is.",
)
@click.option("--eta", type=ZeroToOne(), help="The threshold of scores; else the model's own.")
@text_option
@repeats_option
@click.option(
    "-o", "--out", required=True, type=FileToWrite(), help="The task file to write; - is standard output."
)
@json_option
def find_command(
    log: str,
    model: str,
    baseline: str | None,
    known: str | None,
    within: str,
    link: str | None,
    merge: str | None,
    eta: float | None,
    text: str,
    keep_repeats: bool,
    out: str,
    as_json: bool,
) -> None:
    """Find the task of every search.

    \b
    Example: crowdlog tasks find LOG.tsv --model default -o FOUND.tsv
    """
    from crowdlog.applications.tasks.commands import find_in_log
    from crowdlog.applications.tasks.model import load_model, with_clustering
    from crowdlog.errors import InputError

    if merge is not None and known is None:
        raise InputError("--merge says how the model joins with what is known: give that with --known.")
    chosen = with_clustering(load_model(model), link, eta, within)
    _refuse_other_text(chosen, text)
    figures = find_in_log(
        log,
        chosen,
        out,
        baseline=baseline,
        known=known,
        within=within,
        merge=merge or ("gscore" if known else "global"),
        vectors=_vectors(text),
        keep_repeats=keep_repeats,
    )
    if out == "-":
        return
    if as_json:
        show_json(figures)
    else:
        click.echo(f"{out}: {figures['tasks']:,} tasks in {figures['searches']:,} searches")


@command.command("score")
@click.option("--truth", required=True, help="The true tasks.")
@click.option("--found", required=True, help="What was found.")
@click.option(
    "--test-from",
    type=ZeroToOne(max_open=True),
    default=0.0,
    help="Score only what lies behind this share of a history.",
)
@repeats_option
@seed_option
@json_option
def score_command(
    truth: str, found: str, test_from: float, keep_repeats: bool, seed: int, as_json: bool
) -> None:
    """Score found tasks: pairs, best matches, B³ and breaks, with 95 % intervals over people.

    \b
    Example: crowdlog tasks score --truth TASKS.tsv --found FOUND.tsv --json
    """
    from crowdlog.applications.tasks.measures import summary
    from crowdlog.applications.tasks.score_files import score_files
    from crowdlog.applications.tasks.task_file import read_task_file

    people = score_files(
        read_task_file(truth), read_task_file(found), test_from=test_from, keep_repeats=keep_repeats
    )
    show_scores(summary(people, seed), as_json)


@command.command("cv")
@log_argument
@labels_option
@click.option("--folds", default=5, show_default=True)
@click.option(
    "--by",
    type=click.Choice(["user", "unit"]),
    default="user",
    show_default=True,
    help="Who or what is never on both sides: a person, or a unit of the labels, such as a session.",
)
@click.option("--bins", type=click.Choice(BINS), default="none", show_default=True)
@learner_option
@link_option
@text_option
@repeats_option
@seed_option
@json_option
def cv_command(
    log: str,
    labels: str,
    folds: int,
    by: str,
    bins: str,
    learner: str,
    link: str,
    text: str,
    keep_repeats: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Train on some people, find and score on others, until everybody was tested once. With --by unit, people
    may be on both sides, but no unit of the labels is.

    \b
    Example: crowdlog tasks cv LOG.tsv --labels TASKS.tsv --folds 5 --by user --json
    """
    from crowdlog.applications.tasks.commands import cross_validate_log
    from crowdlog.applications.tasks.measures import summary

    people = cross_validate_log(
        log,
        labels,
        vectors=_vectors(text),
        keep_repeats=keep_repeats,
        folds=folds,
        by=by,
        bins=bins,
        learner=learner,
        link=link,
        seed=seed,
    )
    show_scores(summary(people, seed), as_json)


@command.command("agreement")
@click.argument("tasks", nargs=-1, required=True)
@json_option
def agreement_command(tasks: tuple[str, ...], as_json: bool) -> None:
    """Fleiss' κ between annotators, over all pairs of searches and over those somebody joined.

    \b
    Example: crowdlog tasks agreement TASKS.tsv FOUND.tsv
    """
    from crowdlog.applications.tasks.agreement import agreement
    from crowdlog.applications.tasks.task_file import read_task_file

    found = agreement([read_task_file(path) for path in tasks])
    show_json(found) if as_json else show_fields(found)
