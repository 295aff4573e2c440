"""crowdlog site: the public half as a static folder."""

from __future__ import annotations

from pathlib import Path

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.number_format import amount


@click.command("site")
@click.argument("releases", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--title", default="What was searched for", help="Title of the site.")
@click.option("--institution", default="the owner of the log", help="Who publishes.")
@click.option("--contact", default="", help="How to reach them: an address of mail or web.")
@click.option("--institution-kind", "kind", default=None, help="Government, Industry or Nonprofit (default).")
@click.option(
    "--region", default=None, help="Whose searches they are, or whose law holds; Global if not said."
)
@click.option(
    "--sector", default=None, help="Technology (default), Healthcare, Education, Government, Energy, Finance."
)
@click.option("--purpose", default=None, help="What it is published for, in a sentence.")
@click.option("--licence", default=None, help="Address of the licence; CC BY 4.0 if not said.")
@click.option("--logo", type=click.Path(path_type=Path), help="A picture above the title (.png, .jpg, .svg).")
@click.option("--i-know", is_flag=True, help="Also show releases that promise nothing.")
@json_option
def command(
    releases: tuple[Path, ...],
    out: Path,
    title: str,
    institution: str,
    contact: str,
    kind: str | None,
    region: str | None,
    sector: str | None,
    purpose: str | None,
    licence: str | None,
    logo: Path | None,
    i_know: bool,
    as_json: bool,
) -> None:
    """Make a static web site of RELEASES (folders, or a folder of them): pages, labels, search, downloads.

    It is made of released data alone. Tables come as Parquet and CSV, with Croissant metadata, a dataset card
    and an entry for the registry of deployments (kind, region and sector are what it asks for).

    \b
    Example: crowdlog site OUT -o public --title 'What our readers search for' --institution 'A library'
    """
    from crowdlog.pages.picture import picture
    from crowdlog.web.site import SiteTexts, make_site

    said = {
        "kind": kind,
        "region": region,
        "sector": sector,
        "purpose": purpose,
        "licence": licence,
        "logo": None if logo is None else picture(logo),
    }
    texts = SiteTexts(title, institution, contact, **{k: v for k, v in said.items() if v is not None})
    made = make_site(releases, out, texts, i_know=i_know)
    if as_json:
        show_json({"site": str(out), "releases": [release.path.name for release in made]})
    else:
        click.echo(
            f"{out}: {amount(len(made), 'release')}. "
            f"Open {out}/index.html or copy the folder to a web server."
        )
