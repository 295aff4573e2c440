"""Errors of making, finishing and reading a release, each with what provokes it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.files import whole
from crowdlog.files.locks import hold
from crowdlog.log.importer import import_log
from crowdlog.mechanisms import parse
from crowdlog.plan.as_json import to_json
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release import folder as release_folder
from crowdlog.release import place, publish, resume
from crowdlog.release.assemble import Draft
from crowdlog.release.charged import check_charge
from crowdlog.release.export import export
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.place import find_place
from crowdlog.release.publish import LOCK
from crowdlog.release.resume import give_up
from crowdlog.release.same_source import check_source
from crowdlog.release.seal import read_key, read_public_key
from tests.release.errors.bench import MECHANISM, Bench, Case, Cases, Killed, die, fail, full


def crowdlog(*words: Any) -> None:
    """The command line, whose error is raised as it is."""
    result = CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception


def to(out: str) -> Case:
    """A release to this place, relative to the folder."""
    return lambda bench: bench.publish(out=bench.folder / out)


def without_times(bench: Bench) -> None:
    rows = "".join(f"u{number},a query\n" for number in range(30))
    columns = {"user": "user", "query": "query"}
    file = bench.file(f"user,query\n{rows}", "log.csv")
    log = import_log(file, bench.folder / "fresh", columns=columns)
    bench.__dict__["log"], bench.charges = log, 0
    bench.publish("DPu(epsilon=1, delta=1e-5, d=2, artifact='pair')", budget=(5, 1e-3))


def link(bench: Bench) -> None:
    bench.out.symlink_to(bench.folder / "nowhere")
    bench.publish()


def locked(bench: Bench) -> None:
    (bench.log.path / LOCK).touch()
    handle = hold(bench.log.path / LOCK)
    try:
        bench.publish()
    finally:
        os.close(handle)


def no_lock(bench: Bench) -> None:
    bench.patch.setattr(publish, "hold", fail(30))
    bench.publish()


def reserved(bench: Bench) -> None:
    with place.reserve(bench.out, advice=""):
        bench.publish()


def not_tried(bench: Bench) -> None:
    bench.patch.setattr(place, "_try", full)
    bench.publish()


def trapped(bench: Bench) -> None:
    find_place(bench.out).partial.write_text("a trap")
    bench.publish()


def moved_away(bench: Bench) -> None:
    bench.after_it_counted(lambda: bench.log.path.rename(bench.folder / "old"))
    bench.publish()


def exchanged(bench: Bench) -> None:
    def exchange() -> None:
        bench.log.path.rename(bench.folder / "old")
        shutil.copytree(bench.folder / "old", bench.log.path)

    bench.after_it_counted(exchange)
    bench.publish()


def exchanged_before(bench: Bench) -> None:
    tried = place._try

    def exchange(where: place.Place) -> None:
        tried(where)
        bench.log.path.rename(bench.folder / "old")
        shutil.copytree(bench.folder / "old", bench.log.path)

    bench.patch.setattr(place, "_try", exchange)
    bench.publish()


def no_name(bench: Bench) -> None:
    """Somebody makes a folder in the release's place after it was charged."""

    def taken() -> None:
        bench.out.mkdir()
        (bench.out / "file").touch()

    bench.after_it_counted(taken)
    bench.publish()


def ledger_not_told(bench: Bench) -> None:
    publishing = Ledger.publish

    def fill(ledger: Ledger, *words: Any) -> None:
        ledger._journal._connection.execute("PRAGMA query_only = 1")  # type: ignore[attr-defined]
        publishing(ledger, *words)

    bench.patch.setattr(Ledger, "publish", fill)
    bench.publish()


def disk_fills(bench: Bench) -> None:
    bench.patch.setattr(publish, "fill_folder", full)
    bench.publish()


def unreadable(bench: Bench) -> None:
    bench.patch.setattr(publish, "folder_hash", lambda _folder: None)
    bench.publish()


def our_fault(bench: Bench) -> None:
    def broken() -> None:
        raise KeyError("weather boston")

    bench.after_it_counted(broken)
    bench.publish()


def our_fault_at_the_end(bench: Bench) -> None:
    def broken(*_words: Any) -> None:
        raise KeyError("weather boston")

    bench.patch.setattr(Ledger, "publish", broken)
    bench.publish()


def resumed(bench: Bench, **options: Any) -> None:
    resume.resume(bench.log, parse, **options)


def beside_a_release(bench: Bench) -> None:
    with publish.holding(bench.log, alone=False):
        resumed(bench)


def complete(bench: Bench) -> None:
    bench.killed("publish")
    give_up(bench.log, bench.charges)


def which(bench: Bench) -> None:
    bench.charged()
    bench.charged(bench.folder / "second")
    resumed(bench, to=bench.folder / "third")


def gone(bench: Bench) -> None:
    shutil.rmtree(bench.killed())
    resumed(bench)


def other_promise(bench: Bench) -> None:
    bench.charged(delta=1e-8)
    resumed(bench)


def of_a_seed(bench: Bench) -> None:
    with bench.patch.context() as patch:
        patch.setattr(type(parse(MECHANISM)), "protect", die)
        with pytest.raises(Killed):
            bench.publish(randomness=SeededRandomness(1), i_know=True)
    bench.charges += 1
    try:
        resumed(bench)
    finally:  # what the sentence advises
        assert give_up(bench.log, bench.charges).state == "charged"


def in_the_way(bench: Bench) -> None:
    bench.charged()
    bench.out.write_text("in the way")
    resumed(bench)


def cannot_copy(bench: Bench) -> None:
    bench.killed()
    bench.patch.setattr(resume.shutil, "copyfile", full)
    resumed(bench, to=bench.folder / "new")


def copied_wrongly(bench: Bench) -> None:
    bench.killed()
    bench.patch.setattr(resume.shutil, "copyfile", lambda _source, target: Path(target).touch())
    resumed(bench, to=bench.folder / "new")


def no_place(bench: Bench) -> None:
    bench.charged(Path("/proc/out"))
    resumed(bench)


def resume_fault(bench: Bench) -> None:
    def broken() -> None:
        raise KeyError("weather boston")

    bench.charged()
    bench.after_it_counted(broken)
    resumed(bench)


def of_another_store(bench: Bench) -> None:
    check_charge(bench.done, import_log(bench.made / "log.tsv", bench.folder / "fresh"))


def older_ledger(bench: Bench) -> None:
    bench.publish()
    bench.charges += 1
    with bench.ledger() as ledger:
        entries = ledger.entries()[:1]
    bench.patch.setattr(Ledger, "entries", lambda _ledger: entries)
    check_charge(Release.open(bench.out), bench.log)


def added_file(bench: Bench) -> None:
    (bench.done.path / "more.txt").touch()
    check_charge(bench.done, bench.log)


def draft(bench: Bench) -> Draft:
    return Draft({}, bench.done.label, {})


def signed(bench: Bench) -> Release:
    def forge(stored: dict[str, Any]) -> dict[str, Any]:
        from crowdlog.release import seal

        return {**seal.sealed(stored), "seal": {**seal.sealed(stored)["seal"], "ed25519": "00" * 64}}

    return bench.label(forge, sealed=False)


def without(name: str) -> Case:
    return lambda bench: bench.label(lambda stored: stored["crowdlog"].pop(name) and None)


def changed(name: str, value: Any) -> Case:
    return lambda bench: bench.label(lambda stored: stored["crowdlog"].update({name: value}))


def less_promised(bench: Bench) -> None:
    """A label that says half of the ε that its plan costs."""
    bench.label(lambda stored: stored["privacy_loss"]["privacy_parameters"].update(epsilon=2.0))


def no_noise(bench: Bench) -> None:
    """A plan whose noise is 1/μ with a μ of 0."""
    plan = to_json(parse("Crowd(epsilon=4, delta=1e-9)").promise().tables)
    plan[0]["selection"]["mu"] = 0
    bench.label(lambda stored: stored["crowdlog"].update(plan=plan))


def table(content: bytes) -> Case:
    """A table with this content, and a label that goes along with it."""

    def case(bench: Bench) -> None:
        import hashlib

        path = bench.done.path / "queries.parquet"
        path.write_bytes(content)
        digest = {"queries": hashlib.sha256(content).hexdigest()}
        bench.label(lambda stored: stored["crowdlog"].update(hashes=digest)).table("queries")

    return case


def without_counts(bench: Bench) -> None:
    import pyarrow as pa

    bench.table(pa.table({"query": ["a query"]})).table("queries")


def closed_table(bench: Bench) -> None:
    path = bench.done.path / "queries.parquet"
    path.unlink()
    path.mkdir()
    bench.done.table("queries")


def changed_page(bench: Bench) -> None:
    (bench.done.path / "label.md").write_text("ε = 0.01", encoding="utf-8")
    bench.done.check()


def false_table(bench: Bench) -> None:
    (bench.done.path / "queries.parquet").write_bytes(b"made up")
    bench.done.table("queries")


def no_table(bench: Bench) -> None:
    (bench.done.path / "queries.parquet").unlink()
    bench.done.check()


def closed_label(bench: Bench) -> None:
    path = bench.done.path / "label.json"
    path.unlink()
    path.mkdir()
    Release.open(bench.done.path)


def broken_label(bench: Bench) -> None:
    (bench.done.path / "label.json").write_text("{")
    Release.open(bench.done.path)


def no_room(bench: Bench) -> None:
    bench.patch.setattr(release_folder, "fill_folder", fail(5))
    write_folder(bench.out, draft(bench))


def no_export(bench: Bench) -> None:
    bench.patch.setattr("crowdlog.release.export.shutil.copy", fail(5))
    export(bench.done, bench.out, "tsv")


def new_folder(bench: Bench) -> None:
    with whole.new_folder(bench.out):
        pass


def folder_taken(bench: Bench) -> None:
    bench.out.mkdir()
    new_folder(bench)


def folder_of_another_run(bench: Bench) -> None:
    with whole.new_folder(bench.out):
        new_folder(bench)


def folder_without_place(bench: Bench) -> None:
    with whole.new_folder(bench.file("a file") / "out"):
        pass


def folder_too_full(bench: Bench) -> None:
    with whole.new_folder(bench.out):
        full()


def folder_meanwhile(bench: Bench) -> None:
    with whole.new_folder(bench.out):
        bench.out.mkdir()
        (bench.out / "file").touch()


def few_people(bench: Bench) -> None:
    options = ["--users", 300, "-o", bench.out]
    crowdlog("release", bench.log.path, "Crowd(epsilon=0.1, delta=1e-8)", *options)


def budget_for_nothing(bench: Bench) -> None:
    crowdlog("release", bench.log.path, "FTu(k=3)", "--i-know", "--budget", 1, 0, "-o", bench.out)


def give_up_without_charge(bench: Bench) -> None:
    crowdlog("resume", bench.log.path, "--give-up")


RELEASE_ERRORS: Cases = {
    "release/guard_rails.py": {
        "Add --i-know to release all the same": lambda bench: bench.publish("FTu(k=3)"),
        "This log was imported without times": without_times,
    },
    "release/place.py": {
        "is a symbolic link that leads nowhere": link,
        "exists already. Choose another name: a release": lambda bench: bench.publish(out=bench.done.path),
        "Choose a place outside, such as": lambda bench: bench.publish(out=bench.killed() / "out"),
        "lies in the log store": lambda bench: bench.publish(out=bench.log.path / "out"),
        "is not valid UTF-8": to("bad\udcff"),
        "Another release is being written to": reserved,
        "A release cannot be written to": lambda bench: bench.publish(out=bench.file("a file") / "out"),
        "A release cannot be written to #2": not_tried,
    },
    "release/publish.py": {
        "is running just now": locked,
        "cannot be locked": no_lock,
        "is made but could not be named": no_name,
        "is charged and published, but the ledger": ledger_not_told,
        "The release could not be written to": disk_fills,
        "What was written for": unreadable,
        "was moved or deleted during this release": moved_away,
        "or its ledger was replaced during": exchanged,
    },
    "release/resume.py": {
        "lies complete at": complete,
        "There is no unfinished charge": lambda bench: resumed(bench, charge=9),
        "Say with --charge": which,
        "Its output was made and may have been seen": gone,
        "It was charged with": other_promise,
        "It was charged for noise from a seed": of_a_seed,
        "exists but is not the release": in_the_way,
        "It could not be copied to": cannot_copy,
        "It could not be copied unchanged": copied_wrongly,
    },
    "release/charged.py": {
        "was not made from": of_another_store,
        "does not know the charge": older_ledger,
        "is not as it was published": added_file,
    },
    "release/folder.py": {
        "is not a release": lambda bench: Release.open(bench.folder),
        "is not valid JSON": broken_label,
        "The label of {} cannot be read: {}.": closed_label,
        "are not those of its label": no_table,
        "has not the rows that its label says": lambda bench: bench.label(
            lambda stored: stored["crowdlog"].update(tables={"queries": 99})
        ).check(),
        "is not the table that the label was written for": false_table,
        "was changed after it was written": changed_page,
        "cannot be read as Parquet": table(b"no Parquet"),
        "has not the columns of such a table": without_counts,
        "{} cannot be read: {}.": closed_table,
        "The release could not be written to": no_room,
    },
    "release/label.py": {
        "The label of {} cannot be read: {}": without("source"),
        "it has no '": without("source"),
        "is not what a label has there": changed("charge", "one"),
        "it has version": changed("label_version", 1),
        "it was damaged or changed by hand. {}": less_promised,
        "it holds what no label has": no_noise,
        "it holds characters that cannot be printed": changed("source", "a\x1bb"),
    },
    "release/seal.py": {
        "The key {} cannot be read": lambda bench: read_key(bench.folder / "nowhere"),
        "is no private Ed25519 key": lambda bench: read_key(bench.file("no key")),
        "is no public Ed25519 key": lambda bench: read_public_key(str(bench.file("no key"))),
        "has no seal": lambda bench: bench.label(lambda stored: stored.pop("seal") and None, sealed=False),
        "was changed after it was written": lambda bench: bench.label(
            lambda stored: stored["crowdlog"].update(warnings=["none"]), sealed=False
        ),
        "The signature of": signed,
    },
    "release/same_source.py": {
        "This release was not made from the log": lambda bench: check_source(bench.done.label, "another")
    },
    "release/export.py": {
        "neither clicks nor pairs": lambda bench: export(bench.done, bench.out, "graphml"),
        "The export could not be written to": no_export,
    },
    "files/whole.py": {
        "exists already. Choose another name or remove": folder_taken,
        "Another run is writing to": folder_of_another_run,
        "cannot be written: {}": folder_without_place,
        "The disk that should hold": folder_too_full,
        "came into being meanwhile": folder_meanwhile,
    },
    "cli/release.py": {
        "Nothing was charged; add --i-know": few_people,
        "so no budget holds it": budget_for_nothing,
    },
    "cli/resume.py": {"Give --give-up together with": give_up_without_charge},
}
RELEASE_PARTS: Cases = {
    "release/folder.py": {"Make room or choose another place.": no_room},
    "release/place.py": {
        "where a release lies until it is shown": lambda bench: bench.publish(out=bench.killed() / "out"),
        "is a link or a file, belongs": trapped,
        "It would be made in": trapped,
    },
    "release/publish.py": {
        "Nothing was charged; try again.": exchanged_before,
        "Nothing was charged; choose another place.": not_tried,
        "A release or another resume": beside_a_release,
        "Nothing was published. Charge {} is in the ledger": exchanged,
        "the release was made, and may be there": our_fault_at_the_end,
        "{}, and charge {} is made": our_fault,
    },
    "release/resume.py": {
        "choose another place: crowdlog resume": in_the_way,
        "Move it away, or": in_the_way,
        "Make room, or": cannot_copy,
        "Mend that, or": no_place,
        "an error of ours (": resume_fault,
    },
}
