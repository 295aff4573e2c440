"""Which column of an unknown table is the user, the query, the time: guessed by the columns' names alone.

Names are shown to the owner, values never.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES

TOLD = ("time", "url")  # what is told even to who named the columns: without them most of a log is gone
NEEDED = ("user", "query")  # without time, mechanisms that need none still work
# Names of other programs for each role, most telling first; compared without case, blanks, '_' and '-'.
_NAMES = {
    "user": "user userid anonid useridentifier clientid visitorid idvisitor userpseudoid fullvisitorid "
    "personid customerid memberid accountid uid cookie cookieid deviceid anonymousid visitor client who "
    "username hashedip ip clientip remoteaddr xopaqueid sessionid session",
    "query": "query userquery searchquery querytext querystring searchterm searchterms searchphrase "
    "searchstring sitesearchkeyword keywords keyword searchkeyword search searchtext q term terms phrase "
    "text topqueries what",
    "time": "time timestamp datetime querytime eventtime eventtimestamp searchtime requesttime servertime "
    "createdat created datecreated dateandtime date&time @timestamp ts when date day eventdate localtime",
    "rank": "rank itemrank position clickposition resultposition clickrank resultrank searchrank ordinal pos",
    "url": "url clickurl clickedurl clickedurls clickeddoc clickeddocument documentid docid objectid "
    "resulturl landingpage link linkurl clickedlink productid itemid",
}
_KNOWN = {role: names.split() for role, names in _NAMES.items()}
# A user column that names a visit: the promise then protects a visit, and the import says so.
_VISITS = {"sessionid", "session"}
_SHOWN = 10
_ADDRESSES = {"ip", "clientip", "remoteaddr", "hashedip"}


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).lower()


def is_known(name: str) -> bool:
    """Whether other programs call a column of some role so."""
    return any(_plain(name) in names for names in _KNOWN.values())


def listed(names: Collection[str], hidden: int = 0) -> str:
    """Names as a sentence lists them, and how many are not among them."""
    named = [name for name in names if name.strip()]
    nameless = len(names) - len(named)
    more = [f"{nameless:,} without a name"] if nameless else []
    more += [f"{hidden:,} whose names are not shown"] if hidden else []
    return " and ".join(filter(None, [", ".join(named), *more])) or "none"


def _last(name: str) -> str:
    return _plain(name.rpartition(".")[2])


def _words(name: str) -> set[str]:
    """What a column may be known by: its name, its last step and its last two (`client.id`)."""
    return {_plain(name), _last(name), _plain("".join(name.split(".")[-2:]))}


def guess_roles(names: Sequence[str]) -> dict[str, str]:
    """Role → the column that most likely plays it. No column plays two roles."""
    found: dict[str, str] = {}
    for role in ROLES:
        free = [name for name in names if name not in found.values()]
        ranked = [
            (_KNOWN[role].index(word), number, name)
            for number, name in enumerate(free)
            for word in _words(name)
            if word in _KNOWN[role]
        ]
        if ranked:
            found[role] = min(ranked)[2]
    for role in ROLES:
        if role not in found:
            alike = [n for n in names if n not in found.values() and _misspelt(_last(n), role)]
            if alike:
                found[role] = alike[0]
    return {role: found[role] for role in ROLES if role in found}


def _misspelt(word: str, role: str) -> bool:
    """Whether one slip of the pen makes the word one of the role's: two letters exchanged, or one letter too
    many, too few or wrong. Of three letters two must be exchanged: 'post' is not 'pos'.
    """
    if word.endswith("s") and word[:-1] in _KNOWN["user"]:
        return False  # 'users' and 'sessions' are sums over people
    slips = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    if any(len(known) >= 3 and known in slips for known in _KNOWN[role]):
        return True
    return any(_one_letter_apart(word, known) for known in _KNOWN[role] if len(known) >= 4)


def _one_letter_apart(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or short == long:
        return False
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return long[same + 1 :] == short[same + (len(long) == len(short)) :]


def looks_like_names(fields: Sequence[str]) -> bool:
    """Whether a first line is a header: short words without figures alone, two of them known.

    Else it may be somebody's row, and must not be shown.
    """
    words = [name.strip() for name in fields]
    if not words or any(not re.fullmatch(r"@?[^\W\d][\w .@&()/\-]{0,50}", word) for word in words if word):
        return False
    known = {name for names in _KNOWN.values() for name in names}
    return sum(not known.isdisjoint(_words(word)) for word in words) >= 2


@dataclass(frozen=True)
class Guess:
    """The columns of a file and what they are taken for. `hidden`: how many others have names that may be
    somebody's text.
    """

    file: str
    names: list[str]
    roles: dict[str, str]
    hidden: int = 0

    def spelled(self) -> str:
        """The roles of columns as one writes them behind --columns."""
        return ",".join(f"{role}={name}" for role, name in self.roles.items())

    def lines(self) -> list[str]:
        """One line per column, for a person to agree to."""
        role_of = {name: role for role, name in self.roles.items()}
        width = max(map(len, self.names), default=0)
        lines = [f"  {name:<{width}}  {role_of.get(name, '-')}" for name in self.names]
        return [*lines, f"  and {listed([], self.hidden)}"] if self.hidden else lines

    def all_names(self) -> str:
        return listed(self.names, self.hidden)


# Shown a guess, says whether it is right.
Confirm = Callable[[Guess], bool]


def choose_roles(
    file: str,
    names: Sequence[str],
    said: Mapping[str, str] | None,
    confirm: Confirm | None,
    hidden: int = 0,
) -> dict[str, str]:
    """The roles the caller said, those of our own names, or a guess that somebody agreed to."""
    if said is not None:
        return dict(said)
    own = {role: name for role in ROLES for name in names if name.strip().lower() == role}
    guess = Guess(file, list(names), guess_roles(names), hidden)
    # A column that only looks like url would lose all clicks in silence if it were left out.
    if {"user", "query", "time"} <= own.keys() and guess.roles.keys() == own.keys():
        return own
    _refuse_without(guess)
    if confirm is None or not confirm(guess):
        raise InputError(
            f"{file} has the columns {guess.all_names()}. If {guess.spelled()} is right, add --yes; "
            "else name them with --columns user=…,query=…,time=…"
        )
    return guess.roles


_QUERY_ID = re.compile(r"(search|query)[ _.\-]?id", re.IGNORECASE)


def _refuse_without(guess: Guess) -> None:
    names = guess.all_names()
    if "query" not in guess.roles:
        ids = [name for name in guess.names if _QUERY_ID.fullmatch(name)]
        if ids:
            raise InputError(
                f"The column {ids[0]} of {guess.file} holds numbers of queries, not their words: export the "
                "words of each search with it, or name the column that has them with --columns query=…"
            )
        raise InputError(
            f"No column of {guess.file} is called like a query; it has {names}. "
            "Name the columns with --columns user=…,query=…,time=…"
        )
    if "user" not in guess.roles:
        raise InputError(
            f"No column of {guess.file} is called like a person; it has {names}. If one says who searched, "
            "name it with --columns user=…,query=…,time=… If none does, there is no person in it and no "
            "promise to a person is possible: export one row per search with a stable id of the visitor."
        )


def about_the_rest(names: Sequence[str], roles: Mapping[str, str], hidden: int = 0) -> list[str]:
    """Which columns were not read: what was lost by another name is seen here, those first that look like
    a role's.
    """
    rest = [name for name in names if name not in roles.values()]
    if not rest and not hidden:
        return []
    rest.sort(key=lambda name: not guess_roles([name]))
    more = [f"{len(rest) - _SHOWN:,} more"] if len(rest) > _SHOWN else []
    nameless = [listed([], hidden)] if hidden else []
    told = " and ".join([*([listed(rest[:_SHOWN])] if rest else []), *more, *nameless])
    return [f"Not read: {told}. --columns says otherwise."]


def about_unsaid(names: Sequence[str], roles: Mapping[str, str]) -> list[str]:
    """Columns that look like times or clicks, of which the caller, who named the others, said nothing."""
    rest = [name for name in names if name not in roles.values()]
    return [
        f"Not read, though it looks like the {role}: {name}. --columns says otherwise."
        for role, name in guess_roles(rest).items()
        if role in TOLD and role not in roles
    ]


def about_users(roles: Mapping[str, str]) -> list[str]:
    """What the owner should know about the column that was taken for the user."""
    words = _words(roles.get("user", ""))
    told = []
    if words & _VISITS:
        told.append(
            f"The users are visits ({roles['user']}): the promise protects one visit, not a person who comes "
            "again."
        )
    if words & _ADDRESSES:
        told.append(
            f"The users are network addresses ({roles['user']}): people who share one count as one, and one "
            "who changes it as several."
        )
    if "time" not in roles:
        told.append(
            "The log has no times: the same query of the same user counts once, and nothing that needs an "
            "order (sessions, next queries) can be released."
        )
    return told
