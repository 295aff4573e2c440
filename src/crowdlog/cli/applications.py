"""`crowdlog applications`: what privacy costs the applications, and how many people they need."""

from __future__ import annotations

from pathlib import Path

import click

from crowdlog.cli.output import InOrderOfUse, json_option, show_json, show_table

NAMES = ("tasks", "recommendation", "frustration")


@click.group("applications", cls=InOrderOfUse)
def command() -> None:
    """What privacy costs search tasks, recommendation and frustration, and how many people each needs.

    \b
    Example: crowdlog applications sheet tasks
    """


@command.command("cost")
@click.option("--only", multiple=True, type=click.Choice(NAMES), help="Applications, if not all three.")
@click.option(
    "--people", multiple=True, type=int, default=(300, 1_000, 3_000), show_default=True, help="Sizes of logs."
)
@click.option("--epsilon", multiple=True, type=float, default=(0.1, 1.0, 2.3), show_default=True)
@click.option("--seeds", default=2, show_default=True, help="Noises of each release.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Trials at a time.")
@click.option("-o", "--out", required=True, help="A folder: index.html, results.json, and what is kept.")
@json_option
def cost_command(
    only: tuple[str, ...],
    people: tuple[int, ...],
    epsilon: tuple[float, ...],
    seeds: int,
    jobs: int,
    out: str,
    as_json: bool,
) -> None:
    """Try every mechanism, ε and number of people on each application; write one page.

    Synthetic logs and seeded noise: nothing is published or charged. What is done is kept in OUT.

    \b
    Example: crowdlog applications cost --only frustration --people 100 --epsilon 1 --seeds 1 -o COST
    """
    import json
    from dataclasses import asdict

    from crowdlog.applications.cost.answer import costs, people_needed
    from crowdlog.applications.cost.grid import CostGrid, run_grid
    from crowdlog.applications.cost.page import cost_page, spelled
    from crowdlog.files.whole import write_whole

    folder = Path(out)
    grid = CostGrid(str(folder / "work"), only or NAMES, tuple(sorted(people)), tuple(sorted(epsilon)), seeds)
    results, failed = run_grid(grid, jobs)
    found, why = costs(results), [str(failure) for failure in failed]
    needed = people_needed(found)
    report = {
        "version": 1,
        "costs": [asdict(one) for one in found],
        "people_needed": needed,
        "failed": why,
    }
    options = [*(f"--only {name}" for name in only), *(f"--people {n}" for n in grid.people)]
    options += [*(f"--epsilon {x:g}" for x in grid.epsilons), f"--seeds {seeds}"]
    text = cost_page(found, f"crowdlog applications cost {' '.join(options)} -o {folder.name}", why)
    write_whole(folder / "results.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    write_whole(folder / "index.html", text)
    if as_json:
        show_json(report)
    else:
        rows = [
            [
                row["application"],
                spelled(row["mechanism"]),
                row["people"] or "–",
                f"{100 * row['share']:.0f} %",
            ]
            for row in needed
        ]
        show_table(["application", "mechanism", "people needed", "kept with most people"], rows)
        click.echo(f"{folder / 'index.html'}")
    if failed:
        raise type(failed[0])(
            f"{len(failed)} of {len(grid.runs())} trials failed; {folder / 'index.html'} shows the others "
            f"and lists them. The first: {why[0]}"
        )


@command.command("sheet")
@click.argument("application", type=click.Choice(NAMES))
@json_option
def sheet_command(application: str, as_json: bool) -> None:
    """The nine questions that an application answers: what leaves a person's computer, and what does not.

    \b
    Example: crowdlog applications sheet tasks
    """
    from crowdlog.applications.cost.page import SHEETS

    rows = SHEETS[application].rows()
    show_json(dict(rows)) if as_json else show_table(["question", "answer"], [list(row) for row in rows])
