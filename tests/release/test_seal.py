"""Whatever is edited in a label or a table is noticed, with one sentence and exit code 1."""

import hashlib
import json
import shutil
import subprocess
import sys
from functools import reduce
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from crowdlog.cli import cli
from crowdlog.cli.verify import command as verify
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.mechanisms import parse
from crowdlog.release.charged import check_charge
from crowdlog.release.folder import Release
from crowdlog.release.publish import publish
from crowdlog.release.seal import sealed
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seal")
    log = make_log(folder, crowd_rows(400, ["weather boston", "used cars"]))
    key = Ed25519PrivateKey.generate()
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    publish(MECHANISM, log, folder / "plain")
    publish(MECHANISM, log, folder / "signed", sign=folder / "key.pem")
    return log, folder


def part(place, value):
    """Set, or with None remove, one part of a label."""

    def edit(label):
        *path, last = place.split(".")
        for name in path:
            label = label[name]
        if value is None:
            del label[last]
        else:
            label[last] = value

    return edit


EDITS = [
    part("privacy_loss.privacy_parameters.epsilon", 0.01),
    part("privacy_loss.privacy_parameters", {}),
    part("dp_flavor.name", "pure DP"),
    part("dp_flavor.unprotected_quantities", []),
    part("dp_flavor", None),
    part("crowdlog.warnings", ["fine"]),
    part("crowdlog.tables", {"queries": 3}),
    part("crowdlog.tables", "x"),
    part("crowdlog.hashes", {}),
    part("crowdlog.mechanisms", ["FTu(k=2)"]),
    part("crowdlog.source", "another"),
    part("crowdlog.charge", 7),
    part("crowdlog.looks", ["never"]),
    part("crowdlog.ledger_head", "0"),
    part("crowdlog.noise_from_system", "yes"),
    part("crowdlog", None),
    part("accounting.steps", []),
    part("implementation.proof", 5),
    part("publication_date", "1999-01-01"),
    part("seal", None),
    part("seal", {"sha256": 5}),
]
SEAL = 19  # the edits from here on are of the seal itself
VERSION = 15  # this one takes the version away, without which nobody can tell what a seal would cover


@pytest.mark.parametrize("number", range(len(EDITS)))
@pytest.mark.parametrize("name", ["plain", "signed"])
def test_an_edited_label_is_noticed(made, tmp_path, number, name):
    _log, folder = made
    shutil.copytree(folder / name, tmp_path / "out")
    label = json.loads((tmp_path / "out" / "label.json").read_text())
    EDITS[number](label)
    (tmp_path / "out" / "label.json").write_text(json.dumps(label))
    assert "\n" not in not_verified(tmp_path / "out")


@pytest.mark.parametrize("number", range(SEAL))
def test_who_seals_an_edited_label_anew_is_found_by_the_ledger(made, tmp_path, number):
    log, folder = made
    shutil.copytree(folder / "plain", tmp_path / "out")
    label = json.loads((tmp_path / "out" / "label.json").read_text())
    EDITS[number](label)
    (tmp_path / "out" / "label.json").write_text(json.dumps(sealed(label)))
    assert "\n" not in not_verified(tmp_path / "out", "--truth", str(log.path))


@pytest.mark.parametrize("number", [n for n in range(SEAL) if n != VERSION])
def test_the_seal_is_checked_before_anything_is_computed_with_the_numbers(made, tmp_path, number):
    """Of an edited label the seal speaks first, whatever a reader would have made of the edit."""
    shutil.copytree(made[1] / "plain", tmp_path / "out")
    label = json.loads((tmp_path / "out" / "label.json").read_text())
    EDITS[number](label)
    (tmp_path / "out" / "label.json").write_text(json.dumps(label))
    assert "was changed after it was written" in not_verified(tmp_path / "out")


def not_verified(release, *words):
    """What `crowdlog verify` says of it: a sentence and exit code 1."""
    with pytest.raises(InputError) as caught:
        verify.main([str(release), *words], standalone_mode=False)
    return str(caught.value)


@pytest.mark.parametrize(
    "text", ["[]", "{}", "null", "{", "5", '"x"', "\ud800".encode("utf-8", "surrogatepass")]
)
def test_what_is_no_label_gets_a_sentence(made, tmp_path, text):
    shutil.copytree(made[1] / "plain", tmp_path / "out")
    (tmp_path / "out" / "label.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert "cannot be read" in not_verified(tmp_path / "out")


TWICE = [
    ('"warnings": ', '"warnings": [], "warnings": '),
    ('"epsilon": ', '"epsilon": 0.01, "epsilon": '),
    ('"privacy_loss": ', '"privacy_loss": {"k": null}, "privacy_loss": '),
    ('"seal": ', '"seal": {"sha256": "0"}, "seal": '),
    ('"charge": ', '"charge": NaN, "charge": '),
    ('"charge": ', '"charged": Infinity, "charge": '),
]


@pytest.mark.parametrize(("name", "added"), TWICE)
@pytest.mark.parametrize("command", ["verify", "label", "explain", "export", "page"])
def test_a_name_that_stands_twice_in_a_signed_label_is_refused(made, tmp_path, name, added, command):
    """Of two readers one would take the first, which no signature covers."""
    shutil.copytree(made[1] / "signed", tmp_path / "out")
    path = tmp_path / "out" / "label.json"
    text = path.read_text(encoding="utf-8")
    assert name in text
    path.write_text(text.replace(name, added, 1), encoding="utf-8")
    words = [command, tmp_path / "out", *(["-o", tmp_path / "new"] if command in ("export", "page") else [])]
    refused = CliRunner().invoke(cli, [*map(str, words)])
    assert isinstance(refused.exception, InputError)
    assert "says one thing twice" in str(refused.exception)
    assert not (tmp_path / "new").exists()


# In the place of any part of a label, by somebody who can seal it anew.
ODD = [
    None,
    True,
    0,
    -1,
    10**30,
    1e308,
    5e-324,
    "",
    "x",
    "../x",
    "a\nb",
    "\x1b[2J",
    [],
    {},
    [[]],
    {"is": "AtLeast"},
]


def places(value, way=()):
    """The way to each part of a label."""
    if way:
        yield way
    for name in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[name], (*way, name))


def test_no_odd_part_of_a_label_is_a_fault_of_ours(made, tmp_path):
    """Refused with one line, or without effect: a sample of places and values, each sealed anew."""
    plain = json.loads((made[1] / "plain" / "label.json").read_text(encoding="utf-8"))
    shutil.copytree(made[1] / "plain", tmp_path / "out")
    ways, random = [way for way in places(plain) if way[0] != "seal"], Random(13)
    refused = []
    for _ in range(150):
        label, (*way, last) = json.loads(json.dumps(plain)), random.choice(ways)
        at = reduce(lambda part, name: part[name], way, label)
        at[last] = random.choice(ODD)
        (tmp_path / "out" / "label.json").write_text(json.dumps(sealed(label)), encoding="utf-8")
        for command in ("verify", "label", "explain"):
            done = CliRunner().invoke(cli, [command, str(tmp_path / "out")])
            if done.exception is not None:
                assert isinstance(done.exception, CrowdlogError), (way, last, at[last], done.exception)
                refused.append(str(done.exception))
            assert "\x1b" not in done.output
    assert len(refused) > 100
    assert not [said for said in refused if not said.isprintable()]


def replaced(path):
    pq.write_table(pa.table({"query": ["made up"], "count": [1000]}), path / "queries.parquet")


def other_columns(path):
    pq.write_table(pa.table({"x": [1]}), path / "queries.parquet")


def garbage(path):
    (path / "queries.parquet").write_bytes(b"not a table")


def missing(path):
    (path / "queries.parquet").unlink()


def added(path):
    shutil.copy(path / "queries.parquet", path / "pairs.parquet")


@pytest.mark.parametrize("change", [replaced, other_columns, garbage, missing, added])
def test_a_changed_table_is_noticed(made, tmp_path, change):
    shutil.copytree(made[1] / "plain", tmp_path / "out")
    change(tmp_path / "out")
    assert "do not trust" in not_verified(tmp_path / "out")


def of_other_kind(column, values):
    """The table with this column of other values."""
    return lambda table: table.set_column(table.column_names.index(column), column, values)


OTHER_KINDS = {
    "a count is missing": of_other_kind("count", pa.array([None, 5], pa.int64())),
    "counts are texts": of_other_kind("count", pa.array(["5", "6"])),
    "counts are fractions": of_other_kind("count", pa.array([5.5, float("nan")])),
    "a text is missing": of_other_kind("query", pa.array(["used cars", None])),
    "texts are bytes": of_other_kind("query", pa.array([b"\xff", b"\xfe"])),
    "texts are no UTF-8": of_other_kind(
        "query", pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"\xfe"]).buffers())
    ),
    "no counts": lambda table: table.drop(["count"]),
    "another order": lambda table: table.select(["count", "query"]),
    "no columns": lambda _table: pa.table({}),
    "lists beside the counts": lambda table: table.append_column("more", pa.array([[1], [2]])),
}
READERS = {
    "verify": ["verify", "out"],
    "page": ["page", "out", "-o", "page.html"],
    "export": ["export", "out", "-o", "exported"],
    "score": ["score", "out", "--truth", "log-store", "--on", "coverage"],
    "attack": ["attack", "out", "--truth", "log-store", "--with", "singles"],
    "synthesize": ["synthesize", "out", "-o", "synthetic.tsv", "--users", "3"],
}


@pytest.mark.parametrize("change", OTHER_KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_a_table_of_other_columns_with_a_label_made_anew_is_refused_by_every_reader(
    made, tmp_path, monkeypatch, change, reader
):
    """Nobody's signature stands in the way of whoever seals a label anew; it is never a fault of ours."""
    log, folder = made
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder / "plain", "out")
    shutil.copytree(log.path, "log-store")
    two = pa.table({"query": ["used cars", "weather boston"], "count": [7, 8]})
    pq.write_table(OTHER_KINDS[change](two), "out/queries.parquet")
    path = tmp_path / "out" / "label.json"
    label = json.loads(path.read_text(encoding="utf-8"))
    label["crowdlog"]["hashes"]["queries"] = sha256(tmp_path / "out" / "queries.parquet")
    label["crowdlog"]["tables"]["queries"] = pq.read_table("out/queries.parquet").num_rows
    path.write_text(json.dumps(sealed(label)), encoding="utf-8")
    done = CliRunner().invoke(cli, READERS[reader])
    assert isinstance(done.exception, InputError), done.exception
    assert "has not the columns of such a table" in str(done.exception)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("page", ["label.md", "explanation.md", "index.html"])
@pytest.mark.parametrize("change", ["ε = 0.01", None])
def test_a_changed_page_is_noticed(made, tmp_path, page, change):
    """Without the ledger: people read the pages, not the JSON."""
    shutil.copytree(made[1] / "plain", tmp_path / "out")
    if change is None:
        (tmp_path / "out" / page).unlink()
    else:
        (tmp_path / "out" / page).write_text(change)
    told = not_verified(tmp_path / "out")
    assert f"{page} cannot be read" in told or f"{page} was changed" in told


USES = {
    "export": ["export", "out", "-o", "exported"],
    "score": ["score", "out", "--truth", "log-store", "--on", "coverage"],
    "attack": ["attack", "out", "--truth", "log-store", "--with", "singles"],
}


@pytest.mark.parametrize("use", USES)
def test_a_missing_table_is_refused_by_every_use(made, tmp_path, use):
    log, folder = made
    shutil.copytree(folder / "plain", tmp_path / "out")
    shutil.copytree(log.path, tmp_path / "log-store")
    missing(tmp_path / "out")
    done = crowdlog(tmp_path, *USES[use])
    assert done.returncode == 1
    assert "queries.parquet cannot be read" in done.stderr


@pytest.mark.parametrize("use", USES)
def test_a_table_that_the_label_does_not_name_has_no_effect(made, tmp_path, use):
    log, folder = made
    shutil.copytree(folder / "plain", tmp_path / "out")
    shutil.copytree(log.path, tmp_path / "log-store")
    before = crowdlog(tmp_path, *USES[use])
    shutil.rmtree(tmp_path / "exported", ignore_errors=True)
    added(tmp_path / "out")
    after = crowdlog(tmp_path, *USES[use])
    assert (after.returncode, after.stdout) == (before.returncode, before.stdout) == (0, before.stdout)


def crowdlog(folder, *words):
    command = [sys.executable, "-m", "crowdlog.cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_ledger_knows_the_very_folder(made, tmp_path):
    log, folder = made
    for name in ("plain", "signed"):
        check_charge(Release.open(folder / name), log)
    shutil.copytree(folder / "plain", tmp_path / "out")
    (tmp_path / "out" / "more.md").write_text("ε = 0.01")
    with pytest.raises(InputError, match="not as it was published"):
        check_charge(Release.open(tmp_path / "out"), log)


def test_a_signature_tells_who_signed(made, tmp_path):
    _log, folder = made
    signed = Release.open(folder / "signed")
    assert len(signed.signed_by()) == 64
    assert Release.open(folder / "plain").signed_by() is None
    (tmp_path / "no.pem").write_text("no key")
    with pytest.raises(InputError, match="no private Ed25519 key"):
        publish(MECHANISM, made[0], tmp_path / "x", sign=tmp_path / "no.pem")


def test_a_forged_seal_does_not_carry_the_signature(made, tmp_path):
    """Who computes the checksum anew still lacks the key; without a signature only the ledger tells."""
    shutil.copytree(made[1] / "signed", tmp_path / "out")
    label = json.loads((tmp_path / "out" / "label.json").read_text())
    old = label["seal"]
    label["crowdlog"]["warnings"] = ["none at all"]
    new = sealed(label)
    new["seal"] |= {"ed25519": old["ed25519"], "public_key": old["public_key"]}
    (tmp_path / "out" / "label.json").write_text(json.dumps(new))
    with pytest.raises(InputError, match="signature"):
        Release.open(tmp_path / "out")


@pytest.mark.parametrize(
    "change",
    [
        {"note": "checked by us"},
        {"public_key": lambda key: key.upper()},
        {"public_key": lambda key: f" {key}"},
        {"ed25519": lambda signature: f"{signature[:64]} {signature[64:]}"},
        {"public_key": lambda _key: int("9" * 64)},  # the digits of a key, and no text
        {"ed25519": lambda _signature: int("9" * 128)},
    ],
)
def test_the_parts_of_a_seal_are_its_own_and_spelled_in_one_way(made, tmp_path, change):
    """Nothing covers the seal itself: what is added to it would be read as signed."""
    shutil.copytree(made[1] / "signed", tmp_path / "out")
    label = json.loads((tmp_path / "out" / "label.json").read_text())
    for name, new in change.items():
        label["seal"][name] = new if isinstance(new, str) else new(label["seal"][name])
    (tmp_path / "out" / "label.json").write_text(json.dumps(label))
    assert "The signature of" in not_verified(tmp_path / "out")


def test_files_that_the_label_does_not_name_are_told(made, tmp_path):
    shutil.copytree(made[1] / "signed", tmp_path / "out")
    assert Release.open(tmp_path / "out").unnamed() == []
    for name in ("more.parquet", "a\nb\x1b.md"):
        (tmp_path / "out" / name).write_bytes(b"x")
    told = CliRunner().invoke(cli, ["verify", str(tmp_path / "out")]).output
    assert "does not name was not looked at: 'a\\nb\\x1b.md', 'more.parquet'." in told
    found = json.loads(CliRunner().invoke(cli, ["verify", str(tmp_path / "out"), "--json"]).output)
    assert found["unnamed"] == ["a\nb\x1b.md", "more.parquet"]


@pytest.mark.parametrize("half", ["ed25519", "public_key"])
@pytest.mark.parametrize("gone", ["deleted", "null"])
def test_half_a_signature_is_none_to_trust(made, tmp_path, half, gone):
    """The seal's own checksum does not cover the seal: one that was taken out by halves is noticed."""
    shutil.copytree(made[1] / "signed", tmp_path / "out")
    label = json.loads((tmp_path / "out" / "label.json").read_text())
    if gone == "deleted":
        del label["seal"][half]
    else:
        label["seal"][half] = None
    (tmp_path / "out" / "label.json").write_text(json.dumps(label))
    with pytest.raises(InputError, match="signature"):
        Release.open(tmp_path / "out")
