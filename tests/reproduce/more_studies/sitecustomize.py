"""Python reads this at the start of a worker, from PYTHONPATH: there is a study more."""

from pathlib import Path

from crowdlog.reproduce import studies

studies.__path__.append(str(Path(__file__).parent))
studies.STUDIES["made-up-9.9"] = "made_up"
