"""crowdlog study: files of studies for the browser extension: check, sign, list in a catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crowdlog.cli.output import InOrderOfUse, json_option, show_fields, show_json, show_table


@click.group("study", cls=InOrderOfUse)
def command() -> None:
    """Studies that people run in their browser: a file says what is asked, the extension does it.

    \b
    Example: crowdlog study check STUDY.json
    """


@command.command("check")
@click.argument("file", type=click.Path())
@json_option
def check_command(file: str, as_json: bool) -> None:
    """Check FILE, a study or a signed study, as the extension will.

    \b
    Example: crowdlog study check STUDY.json
    """
    from crowdlog.crowd.studies.signed import STUDY, open_signed
    from crowdlog.crowd.studies.study_file import check_study, task_orders
    from crowdlog.errors import InputError

    value = _read(file)
    signed = isinstance(value, dict) and STUDY in value
    study = open_signed(STUDY, value) if signed else value
    wrong = check_study(study)
    orders = [] if wrong else task_orders(study)
    if as_json:
        show_json({"file": file, "signed": signed, "wrong": wrong, "orders": orders})
    elif not wrong:
        show_fields(
            {
                "study": study["id"],
                "signed": "yes" if signed else "no",
                "asks for": ", ".join(study["permissions"]),
                "uploads": "readable answers, after a consent of their own"
                if study["upload"]["how"] == "clear"
                else "nothing",
            }
        )
        for rows in orders:
            table = [[str(person), *row] for person, row in enumerate(rows, 1)]
            show_table(["person", *(f"task {place}" for place in range(1, len(rows[0]) + 1))], table)
    if wrong:
        raise InputError(" ".join(wrong))


@command.command("sign")
@click.argument("file", type=click.Path())
@click.option("--key", required=True, help="The file of your signing key; made if there is none.")
@click.option("-o", "--out", required=True, help="The signed study to write.")
def sign_command(file: str, key: str, out: str) -> None:
    """Sign FILE with your key; people's browsers remember who signed.

    \b
    Example: crowdlog study sign STUDY.json --key STUDY.key -o SIGNED.json
    """
    from crowdlog.crowd.studies.signed import STUDY, sign
    from crowdlog.crowd.studies.study_file import check_study
    from crowdlog.errors import InputError

    study = _read(file)
    if wrong := check_study(study):
        raise InputError(" ".join(wrong))
    made = sign(STUDY, study, _key(key))
    _write(out, made)
    show_fields({"signed": out, "signing key": made["signing"]})


@command.command("catalogue")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--key", required=True, help="The file of your signing key; made if there is none.")
@click.option("--messages", help="JSON: a list of messages, each with from, date and text.")
@click.option("--feedback", help="An https address that takes what people write to you, if they send it.")
@click.option("-o", "--out", required=True, help="The catalogue to write; serve it as a static file.")
def catalogue_command(
    files: tuple[str, ...], key: str, messages: str | None, feedback: str | None, out: str
) -> None:
    """Put signed studies, FILES, into a catalogue that the extension reads.

    \b
    Example: crowdlog study catalogue SIGNED.json --key STUDY.key -o catalogue.json
    """
    from crowdlog.crowd.studies.signed import catalogue

    notes = _read(messages) if messages else []
    made = catalogue([_read(file) for file in files], notes, _key(key), feedback or "")
    _write(out, made)
    show_fields({"catalogue": out, "studies": len(files), "signing key": made["signing"]})


def _read(file: str) -> Any:
    from crowdlog.crowd.studies.study_file import read_json
    from crowdlog.errors import InputError

    try:
        return read_json(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"There is no file {file}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read as text.") from error


def _key(file: str) -> Any:
    from crowdlog.crowd.crypto.signing import SigningKey
    from crowdlog.crowd.services.keyfile import write_secret
    from crowdlog.privacy.randomness import SystemRandomness

    path = Path(file)
    if not path.exists():
        write_secret(path, SigningKey.generate(SystemRandomness()).to_bytes())
    return SigningKey.from_bytes(path.read_bytes())


def _write(out: str, value: Any) -> None:
    import json

    from crowdlog.files.whole import new_file

    with new_file(Path(out)) as file:
        file.write((json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())
