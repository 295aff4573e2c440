"""The ways a command can fail, each with its exit code. Messages never contain text of a log."""


class CrowdlogError(Exception):
    """Something went wrong that a person can read about.

    Exit code 3: our fault, unless a subclass says otherwise.
    """

    exit_code = 3


class InputError(CrowdlogError):
    """What was given cannot be used: a bad file, a bad parameter, a full disk."""

    exit_code = 1


class PrivacyRefusal(CrowdlogError):  # noqa: N818 - it is a refusal, not an error
    """What was asked would break a promise: over budget, not private, below a floor."""

    exit_code = 2


class Stopped(CrowdlogError):  # noqa: N818 - nothing went wrong
    """Somebody pressed Ctrl-C. The exit code is the shells' own: 128 + SIGINT."""

    exit_code = 130


_OURS = "crowdlog: "


def note(error: BaseException, sentence: str) -> None:
    """Let an error that nobody foresaw take along what was done before it."""
    error.add_note(_OURS + sentence)


def noted(error: BaseException) -> str:
    """What `note` added. Notes of other libraries are left out: they could quote a log."""
    notes = getattr(error, "__notes__", [])
    return " ".join(text.removeprefix(_OURS) for text in notes if text.startswith(_OURS))
