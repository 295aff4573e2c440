"""What people are like, as numbers: how often they return, what they share, how they click.

Two populations, so that what is learnt on one can be tried on the other. Each number is published, given by
an aggregate of a real log, or fitted so that such aggregates come out (docs/synthetic.md says which).
"""

from __future__ import annotations

from typing import NamedTuple

from crowdlog.errors import InputError


class Population(NamedTuple):
    """Shares are of what the line before says, exponents those of power laws."""

    name_salt: int  # two populations share no need but the heads of the topics and the portals

    # habits: who has a first portal, how much of her searching it is (less for busy people), and the others
    first_portal: float
    first_share: float
    first_fades: float  # by how much per factor e of searches
    first_portals: int  # among how many queries the first one is chosen
    first_exponent: float
    other_share: float  # of all searches, the two or three other favourites together
    other_portals: int
    other_exponent: float
    own_favourite: float  # of the other favourites: a site or a query of her own

    # one search after another, at the beginning of a session and within one
    refind_open: float
    refind_within: float
    refind_again: float  # of re-findings: something found again before
    resume_open: float  # of new searches that open a session: an older task taken up with a new text
    stay: float  # of new searches within a session: another text of the last task
    back: float  # … of the task before the last
    misspelt: float

    # sessions: share of those with one new query, and how often a longer one goes on
    single_session: float
    session_goes_on: float

    # what a new task is about
    portal_visit: float  # a well-known site that is no favourite
    visit_exponent: float
    site: float
    person: float
    rare: float
    # needs that others may have: share, exponent and how many there are, of topics and of sites and people
    shared: float
    need_exponent: float
    needs: float

    # clicks
    clicked_site: float
    clicked_text: float
    click_again: float
    navigational: float  # of the most frequent text needs; falls with popularity
    same_click: float  # of re-findings after a click
    next_page: float  # of searches; then how often another page follows
    page_after_page: float


AOL = Population(
    name_salt=1,
    first_portal=0.34,
    first_share=0.22,
    first_fades=0.032,
    first_portals=14,
    first_exponent=0.6,
    other_share=0.05,
    other_portals=400,
    other_exponent=0.56,
    own_favourite=0.28,
    refind_open=0.27,
    refind_within=0.11,
    refind_again=0.74,
    resume_open=0.10,
    stay=0.83,
    back=0.06,
    misspelt=0.05,
    single_session=0.565,
    session_goes_on=0.585,
    portal_visit=0.045,
    visit_exponent=0.42,
    site=0.20,
    person=0.09,
    rare=0.05,
    shared=0.58,
    need_exponent=0.58,
    needs=1.2e7,
    clicked_site=0.6,
    clicked_text=0.6,
    click_again=0.52,
    navigational=0.35,
    same_click=0.87,
    next_page=0.14,
    page_after_page=0.62,
)

OTHER = AOL._replace(
    name_salt=2,
    first_portal=0.45,
    first_share=0.16,
    first_exponent=0.5,
    other_exponent=0.65,
    refind_open=0.30,
    refind_within=0.09,
    stay=0.76,
    back=0.12,
    resume_open=0.15,
    single_session=0.54,
    session_goes_on=0.57,
    site=0.16,
    person=0.12,
    rare=0.07,
    shared=0.60,
    need_exponent=0.54,
    needs=2e7,
    clicked_site=0.70,
    clicked_text=0.55,
    navigational=0.45,
    next_page=0.12,
    page_after_page=0.67,
)

POPULATIONS = {"aol": AOL, "other": OTHER}


def population_of(name: str) -> Population:
    """The population with this name."""
    if name not in POPULATIONS:
        raise InputError(f"There is no population {name!r}. Choose one of {', '.join(POPULATIONS)}.")
    return POPULATIONS[name]
