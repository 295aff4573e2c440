from contextlib import closing

import pytest

from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.web.accounts import ROLES
from crowdlog.web.workspace import Workspace
from tests.web.visitor import PASSWORD


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A workspace with everybody and one log with a canary."""
    folder = tmp_path_factory.mktemp("desk")
    workspace = Workspace(folder / "desk")
    for role in ROLES:
        workspace.accounts.add(role, role, PASSWORD)
    synthesize(folder / "log.tsv", users=300, seed=5)
    with (folder / "log.tsv").open("a") as file:
        file.write("999999\tCANARY secret\t2006-03-01 10:00:00\t\t\n")
    import_log(folder / "log.tsv", folder / "desk" / "stores" / "shop")
    with closing(workspace):
        yield workspace
