"""An approved release that failed is tried again: by the same approval, for the same terms and one charge."""

from __future__ import annotations

import shutil
import time

import pytest

from crowdlog.log.importer import import_log
from crowdlog.release.publish import open_ledger
from crowdlog.web.retry import may_be_tried
from crowdlog.web.schedule import dated, longest_name, run_due
from tests.web.visitor import client, secret, wait

MECHANISM = "Korolova(epsilon=9, delta=1e-3, d=4)"


def ended(desk, place: str):
    number = place.rpartition("/")[2]
    while number in desk.running:
        time.sleep(0.05)
    return next(job for job in desk.jobs() if job.id == number)


def budget(desk, epsilon: str) -> None:
    owner = client(desk, "owner")
    data = {"csrf": secret(owner), "epsilon": epsilon, "delta": "0.5", "rule": "sum"}
    assert owner.post("/logs/shop/budget", data=data).status_code == 303


def failed(desk, out: str, rhythm: str = "once") -> str:
    """An approved request whose release did not fit the budget."""
    engineer, approver = client(desk, "engineer"), client(desk, "approver")
    budget(desk, "1")
    ask = {"csrf": secret(engineer), "mechanism": MECHANISM, "out": out, "people": "300", "rhythm": rhythm}
    number = engineer.post("/logs/shop/new", data=ask).headers["location"].rpartition("/")[2]
    started = approver.post(f"/requests/{number}/approve", data={"csrf": secret(approver)})
    assert ended(desk, started.headers["location"]).state == "failed"
    return number


def charges(desk) -> list[str]:
    with open_ledger(desk.store("shop")) as ledger:
        return [entry.out.rpartition("/")[2] for entry in ledger.entries()]


def test_it_is_tried_again_for_one_charge(desk):
    number = failed(desk, "again")
    engineer, reader = client(desk, "engineer"), client(desk, "reader")
    form = {"csrf": secret(engineer)}
    assert "<button>Try again" in engineer.get(f"/requests/{number}").text
    assert "<button>Try again" not in reader.get(f"/requests/{number}").text
    once_more = engineer.post(f"/requests/{number}/retry", data=form)
    assert ended(desk, once_more.headers["location"]).state == "failed"
    budget(desk, "100")
    run = engineer.post(f"/requests/{number}/retry", data=form)
    assert engineer.post(f"/requests/{number}/retry", data=form).status_code == 400, "it runs already"
    wait(desk, run.headers["location"].rpartition("/")[2])
    assert "again" in desk.releases()
    late = engineer.post(f"/requests/{number}/retry", data=form)
    assert (late.status_code, "nothing to try again" in late.text) == (400, True)
    desk.end_job(ended(desk, run.headers["location"]).id, "interrupted", "")
    assert "<button>Try again" not in engineer.get(f"/requests/{number}").text
    assert engineer.post(f"/requests/{number}/retry", data=form).status_code == 400, "it was charged"
    assert charges(desk).count("again") == 1


def test_a_failed_run_is_taken_by_one(desk):
    number = failed(desk, "one")
    job = may_be_tried(desk, desk.request(number)).job
    assert desk.take_job(job.id)
    assert not desk.take_job(job.id)


def test_an_approval_holds_for_its_terms_alone(desk, tmp_path):
    number = failed(desk, "terms")
    engineer = client(desk, "engineer")
    place = desk.folder / "stores" / "shop"
    shutil.move(place, tmp_path / "kept")
    rows = "".join(f"u{i}\tq{i % 3}\t2006-03-01 10:00:{i:02d}\t\t\n" for i in range(60))
    (tmp_path / "other.tsv").write_text(rows)
    import_log(tmp_path / "other.tsv", place)
    try:
        answer = engineer.post(f"/requests/{number}/retry", data={"csrf": secret(engineer)})
        assert answer.status_code == 400
        assert "changed since this was approved" in answer.text
    finally:
        shutil.rmtree(place)
        shutil.move(tmp_path / "kept", place)
    assert "terms" not in charges(desk)


def test_runs_of_one_second_keep_their_order(desk):
    """Once the run of an approval could be taken for a later one, and tried again under its name."""
    numbers = [desk.begin_job("release", "shop", "ada", "none", begun=1) for _ in range(20)]
    assert [job.id for job in desk.jobs() if job.request == "none"] == numbers[::-1]
    for number in numbers:
        desk.end_job(number, "failed", "")


def test_a_run_of_the_schedule_keeps_its_day(desk):
    number = failed(desk, "n" * longest_name("monthly"), "monthly")
    later = int(time.time()) + 40 * 86400
    (job,) = run_due(desk, later)
    assert ended(desk, job).state == "failed"
    budget(desk, "200")
    engineer = client(desk, "engineer")
    run = engineer.post(f"/requests/{number}/retry", data={"csrf": secret(engineer)})
    wait(desk, run.headers["location"].rpartition("/")[2])
    name = dated("n" * longest_name("monthly"), later)
    assert name in desk.releases()
    assert engineer.get(f"/releases/{name}").status_code == 200


@pytest.mark.parametrize(("rhythm", "size"), [("once", 60), ("monthly", 49)])
def test_a_name_leaves_room_for_the_day(desk, rhythm, size):
    """Once a name of 60 letters was taken, and the releases of its schedule could not be opened."""
    engineer = client(desk, "engineer")
    form = engineer.get(f"/logs/shop/new?people=300&rhythm={rhythm}&audience=public&purpose=queries").text
    assert f'maxlength="{size}"' in form
    ask = {"csrf": secret(engineer), "mechanism": MECHANISM, "people": "300", "rhythm": rhythm}
    for letters, status in ((size + 1, 400), (size, 303)):
        answer = engineer.post("/logs/shop/new", data=ask | {"out": "x" * letters})
        assert answer.status_code == status
        assert "too long" not in answer.text
        assert f"at most {size}" in answer.text or status == 303
