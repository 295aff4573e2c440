"""crowdlog page: the page of a release, under a title and a picture of one's own."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("page")
@click.argument("release")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The HTML file to write.")
@click.option("--title", help="Instead of what the label calls it.")
@click.option("--logo", type=click.Path(path_type=Path), help="A picture above the title (.png, .jpg, .svg).")
def command(release: str, out: Path, title: str | None, logo: Path | None) -> None:
    """Write the page of RELEASE anew, as one file that needs no network.

    Its index.html stays as it is: 'crowdlog verify' compares that with the label.

    \b
    Example: crowdlog page OUT -o march.html --title 'What our readers searched for in March'
    """
    from crowdlog.errors import InputError
    from crowdlog.files.whole import write_whole
    from crowdlog.pages.picture import picture
    from crowdlog.release.folder import Release
    from crowdlog.release.page import release_page

    made = Release.open(release)
    tables = {name: table for name in made.tables if (table := made.table(name)) is not None}
    drawn = None if logo is None else picture(logo)
    page = release_page(made.label, tables, title=title, logo=drawn)
    try:
        write_whole(out, page)
    except OSError as error:
        raise InputError(
            f"The page {out} cannot be written: {error.strerror}. Choose another place."
        ) from None
    click.echo(f"{out}")
