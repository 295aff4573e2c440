"""`crowdlog frustration`: which searches went badly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crowdlog.cli.options import FileToWrite
from crowdlog.cli.output import InOrderOfUse, json_option, show_fields, show_json, show_scores

study_argument = click.argument("study", type=click.Path())


@click.group("frustration", cls=InOrderOfUse)
def command() -> None:
    """Detect frustrated searchers: features, models from released counts, and scores.

    A STUDY is a table (as `synth` writes one), a JSON file of answers that somebody saved in the browser
    extension, or a folder with one for each person.

    \b
    Example: crowdlog frustration synth STUDY.tsv --people 30
    """


@command.command("synth")
@click.argument("study", type=FileToWrite())
@click.option("--people", type=click.IntRange(1), default=30, show_default=True)
@click.option("--seed", default=7, show_default=True)
@json_option
def synth_command(study: str, people: int, seed: int, as_json: bool) -> None:
    """Write a synthetic study with a planted effect; there is no public frustration data.

    \b
    Example: crowdlog frustration synth STUDY.tsv --people 30
    """
    from crowdlog.applications.frustration.synthetic import write_study

    searches = write_study(study, people, seed)
    if as_json:
        show_json({"study": study, "searches": searches, "people": people})
        return
    click.echo(f"{study}: {searches:,} searches of {people:,} people")


@command.command("train")
@click.argument("study", type=click.Path(), required=False)
@click.option("--crowd-log", help="A release of vectors instead of a study.")
@click.option("-o", "--out", required=True, type=FileToWrite(), help="The model: one JSON file.")
@json_option
def train_command(study: str | None, crowd_log: str | None, out: str, as_json: bool) -> None:
    """Train from a study, or from a release of vectors alone.

    \b
    Example: crowdlog frustration train STUDY.tsv -o MODEL.json
    """
    import numpy as np

    from crowdlog.applications.frustration.model import model_of_counts, train_from_release
    from crowdlog.applications.frustration.study import read_study
    from crowdlog.applications.frustration.vectors import vectors_of
    from crowdlog.errors import InputError

    if (study is None) == (crowd_log is None):
        raise InputError("Give either a STUDY, or --crowd-log RELEASE.")
    if crowd_log is not None:
        model = train_from_release(crowd_log)
    else:
        place = vectors_of(read_study(study or ""))[1]
        model = model_of_counts(np.bincount(place, minlength=64).reshape(2, 32).astype(np.float64))
    model.save(out)
    figures = {"model": out, "coefficients": [float(f"{x:.6g}") for x in model.coefficients]}
    show_json(figures) if as_json else show_fields({key: str(value) for key, value in figures.items()})


def _write(person: Any, place: Any, out: str, domain: str | None, as_json: bool) -> None:
    from crowdlog.applications.frustration.vectors import write_domain, write_vectors

    info = write_vectors(person, place, out).info
    if domain is not None:
        write_domain(domain)
    figures = {"store": out, "people": info.users, "vectors": info.rows, "distinct": info.queries}
    show_json(figures) if as_json else show_fields(figures)


@command.command("vectors")
@study_argument
@click.option("--domain", type=FileToWrite(), help="Also write the 64 artifacts here: a public list.")
@click.option("-o", "--out", required=True, help="A new store; release it with any mechanism.")
@json_option
def vectors_command(study: str, domain: str | None, out: str, as_json: bool) -> None:
    """Write labelled binary vectors as artifacts that mechanisms release.

    \b
    Example: crowdlog frustration vectors STUDY.tsv -o VECTORS
    """
    from crowdlog.applications.frustration.study import read_study
    from crowdlog.applications.frustration.vectors import vectors_of

    _write(*vectors_of(read_study(study)), out, domain, as_json)


@command.command("pseudo")
@study_argument
@click.option("--users", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--domain", type=FileToWrite(), help="Also write the 64 artifacts here: a public list.")
@click.option("-o", "--out", required=True, help="A new store; release it with any mechanism.")
@json_option
def pseudo_command(study: str, users: int, seed: int, domain: str | None, out: str, as_json: bool) -> None:
    """The vectors of pseudo-users: 1 to 49 searches of somebody of the study, drawn with replacement.

    \b
    Example: crowdlog frustration pseudo STUDY.tsv --users 100000 -o PSEUDO
    """
    from crowdlog.applications.frustration.study import read_study
    from crowdlog.applications.frustration.vectors import pseudo_vectors

    _write(*pseudo_vectors(read_study(study), users, seed), out, domain, as_json)


@command.command("find")
@study_argument
@click.option("--model", required=True, help="The model of the crowd.")
@click.option(
    "--merge",
    type=click.Choice(["product", "mean", "min", "max", "global", "local"]),
    default="product",
    show_default=True,
)
@click.option(
    "--train-tasks",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    help="First tasks, for a person's own model.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=FileToWrite(),
    help="The later searches: user, search, chance, frustrated, label; - is standard output.",
)
@json_option
def find_command(study: str, model: str, merge: str, train_tasks: int, out: str, as_json: bool) -> None:
    """Say which of each person's later searches were frustrating.

    \b
    Example: crowdlog frustration find STUDY.tsv --model MODEL.json -o FOUND.tsv
    """
    from crowdlog.applications.frustration.measures import FOUND
    from crowdlog.applications.frustration.model import chances, load_model
    from crowdlog.applications.frustration.study import read_study
    from crowdlog.files.private import write_for_owner

    it = read_study(study)
    train = it.task < train_tasks
    chance = chances(it, load_model(model), merge, train)
    lines = ["\t".join(FOUND)]
    for row in range(len(it)):
        if not train[row]:
            label = "" if it.label[row] < 0 else int(it.label[row])
            known = f"{it.names[it.user[row]]}\t{it.search[row]}"
            lines.append(f"{known}\t{chance[row]:.6f}\t{int(chance[row] >= 0.5)}\t{label}")
    if out == "-":
        click.echo("\n".join(lines))
        return
    write_for_owner(Path(out), "\n".join(lines) + "\n")
    figures = {"file": out, "searches": len(lines) - 1}
    show_json(figures) if as_json else show_fields(figures)


@command.command("score")
@click.argument("found", type=click.Path())
@click.option("--seed", default=0)
@json_option
def score_command(found: str, seed: int, as_json: bool) -> None:
    """Macro F₀.₅ of what was found: F of the mean precision and the mean recall over people.

    \b
    Example: crowdlog frustration score FOUND.tsv --json
    """
    from crowdlog.applications.frustration.measures import macro_f, read_found

    show_scores(macro_f(*read_found(found), seed), as_json)
