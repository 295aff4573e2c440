"""`crowdlog recommend`: what to ask next, given what was asked before."""

from __future__ import annotations

from typing import Any

import click

from crowdlog.cli.options import FileToWrite, ZeroToOne
from crowdlog.cli.output import InOrderOfUse, json_option, show_fields, show_json, show_scores

MODELS = ("reference", "decay", "soft", "hard", "firm1", "firm2")
source_option = click.option(
    "--source",
    type=click.Choice(["auto", "all", "both", "walk", "overlap", "composed"]),
    default="auto",
    show_default=True,
    help="Random walks on the graph, shared words, both, queries composed of the crowd's words, or all; "
    "auto: all for a graph of a release, both for one of a log.",
)


@click.group("recommend", cls=InOrderOfUse)
def command() -> None:
    """Recommend queries from a release: the server answers for single queries, the client merges.

    \b
    Example: crowdlog recommend build STORE -o GRAPH.npz
    """


@command.command("build")
@click.argument("source", type=click.Path())
@click.option("-o", "--out", required=True, type=FileToWrite(), help="The graph to write.")
@json_option
def build_command(source: str, out: str, as_json: bool) -> None:
    """Build the query-flow and term–query graph of a STORE or a RELEASE.

    \b
    Example: crowdlog recommend build STORE -o GRAPH.npz
    """
    from crowdlog.applications.recommendation.graph import build_graph

    graph = build_graph(source)
    graph.save(out)
    figures = {"graph": out, "queries": len(graph.queries), "edges": int(graph.flow.nnz)}
    show_json(figures) if as_json else show_fields(figures)


@command.command("run")
@click.argument("graph", type=click.Path())
@click.argument("contexts", type=click.Path())
@click.option("--model", type=click.Choice(MODELS), default="firm2", show_default=True)
@click.option(
    "--tau", type=ZeroToOne(), default=0.2, show_default=True, help="On task is a same-task score above."
)
@click.option("--beta", type=ZeroToOne(), default=0.8, show_default=True, help="What a step back weighs.")
@click.option(
    "--lambda", "lam", type=ZeroToOne(), default=1.0, show_default=True, help="The rest goes by time alone."
)
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="How many queries for a context."
)
@source_option
@click.option(
    "-o",
    "--out",
    required=True,
    type=FileToWrite(),
    help="The recommendations to write; - is standard output.",
)
@json_option
def run_command(
    graph: str,
    contexts: str,
    model: str,
    tau: float,
    beta: float,
    lam: float,
    top: int,
    source: str,
    out: str,
    as_json: bool,
) -> None:
    """Recommend queries for contexts: JSON lines of id and context, oldest query first.

    \b
    Example: crowdlog recommend run GRAPH.npz CONTEXTS.jsonl --model firm2 -o RECS.jsonl
    """
    from crowdlog.applications.frame import run
    from crowdlog.applications.recommendation.contexts import read_contexts, write_json_lines
    from crowdlog.applications.recommendation.graph import load_graph
    from crowdlog.applications.recommendation.merge import RecommendationClient, RecommendationServer
    from crowdlog.progress import progress_bar

    rows = read_contexts(contexts)
    server = RecommendationServer(load_graph(graph), source)
    found: list[dict[str, Any]] = []
    with progress_bar("Recommending", len(rows), unit="contexts") as advance:
        for row in rows:
            client = RecommendationClient(row["context"], row["sametask"], model, tau, beta, lam, top)
            found.append({"id": row["id"], "recs": run(server, client)})
            advance(1)
    write_json_lines(out, found)
    _report(out, {"contexts": len(found), "answered": sum(bool(row["recs"]) for row in found)}, as_json)


def _report(out: str, figures: dict[str, Any], as_json: bool) -> None:
    """What was written where; nothing where the rows themselves went to standard output."""
    if out == "-":
        return
    figures = {"file": out} | figures
    show_json(figures) if as_json else show_fields(figures)


@command.command("score")
@click.argument("recs", type=click.Path())
@click.option("--truth", required=True, help="JSON lines of id, later, shown and relevant.")
@click.option("--docs", help="Documents, a name, a tab and a text a line: for the study's MRR.")
@click.option("--seed", default=0)
@json_option
def score_command(recs: str, truth: str, docs: str | None, seed: int, as_json: bool) -> None:
    """Score recommendations: the study's MRR over documents, MRR of later queries, coverage.

    \b
    Example: crowdlog recommend score RECS.jsonl --truth TRUTH.jsonl --json
    """
    from crowdlog.applications.recommendation.contexts import read_json_lines
    from crowdlog.applications.recommendation.measures import read_documents, score_recommendations

    documents = read_documents(docs) if docs is not None else None
    rows = read_json_lines(recs, ("id", "recs"))
    show_scores(score_recommendations(rows, read_json_lines(truth, ("id",)), documents, seed), as_json)


@command.command("mix")
@click.argument("contexts", type=click.Path())
@click.option("--off", required=True, type=click.IntRange(0), help="Queries of other tasks in each context.")
@click.option("--draws", type=click.IntRange(1), default=50, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--only-off", is_flag=True, help="The queries of its own task but the last are left out.")
@click.option(
    "-o", "--out", required=True, type=FileToWrite(), help="The contexts to write; - is standard output."
)
@json_option
def mix_command(
    contexts: str, off: int, draws: int, seed: int, only_off: bool, out: str, as_json: bool
) -> None:
    """Put queries of other tasks into contexts, as the study's experiments do.

    \b
    Example: crowdlog recommend mix CONTEXTS.jsonl --off 5 --draws 50 --seed 1 -o MIXED.jsonl
    """
    from crowdlog.applications.recommendation.contexts import (
        mix_contexts,
        off_task_contexts,
        read_contexts,
        write_json_lines,
    )

    rows = read_contexts(contexts)
    mix = off_task_contexts if only_off else mix_contexts
    mixed = mix(rows, off, draws, seed)
    write_json_lines(out, mixed)
    _report(out, {"contexts": len(mixed)}, as_json)


@command.command("serve")
@click.argument("graph", type=click.Path())
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, help="0 takes a free one.")
@source_option
def serve_command(graph: str, host: str, port: int, source: str) -> None:
    """Answer for single queries over HTTP; requests are not logged.

    \b
    Example: crowdlog recommend serve GRAPH.npz --port 8765
    """
    from crowdlog.applications.recommendation.graph import load_graph
    from crowdlog.applications.recommendation.merge import RecommendationServer
    from crowdlog.applications.recommendation.service import recommendation_app
    from crowdlog.crowd.services.serve import Listen, serve

    server = RecommendationServer(load_graph(graph), source)
    server.prepare()
    serve(
        lambda: recommendation_app(server),
        Listen(host, port),
        lambda url: click.echo(f"Answering at {url}/recommend; stop with Ctrl-C."),
    )
