"""A monthly release as an Airflow DAG: one task, which retries only what may be retried."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timedelta


def publish(ds: str, pipeline: str = "pipeline.toml") -> dict:
    """Run the pipeline for the day `ds`; returns what was done."""
    done = subprocess.run(
        ["crowdlog", "--quiet", "--log-format", "json", "run", pipeline, "--date", ds, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return json.loads(done.stdout)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    raise FaultError(error["message"]) if done.returncode == 3 else RefusedError(error["message"])


class FaultError(Exception):
    """Our fault: Airflow may try again."""


try:
    from airflow.exceptions import AirflowFailException as RefusedError
    from airflow.sdk import DAG, task
except ImportError:  # read without Airflow: `publish` is all there is

    class RefusedError(Exception):
        """Your input, or refused for privacy: a person must look."""

else:
    with DAG("crowdlog", schedule="@monthly", start_date=datetime(2026, 1, 1), catchup=False):
        task(retries=1, retry_delay=timedelta(minutes=10))(publish)("{{ ds }}")
