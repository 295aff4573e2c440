"""The public half: whole, valid for catalogues, and made of released data alone."""

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime

import jsonschema_rs
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
import yaml

from crowdlog.crowd.write_release import DISTRIBUTED
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.log.importer import import_log
from crowdlog.mechanisms import parse
from crowdlog.pages.picture import picture
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.release.folder import Release
from crowdlog.release.page import rows_told
from crowdlog.web.registry_entry import Curator, registry_entry
from crowdlog.web.site import SiteTexts, make_site
from tests.web.registry_schema import SCHEMA

TEXTS = SiteTexts("Our <library>", "A library", "mail@a.example")


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Two releases of one log, with a canary that only one person asked for."""
    folder = tmp_path_factory.mktemp("site")
    rows = [
        f"u{i}\t{q}\t2024-03-01 10:0{j}:00\t\t\n"
        for i in range(400)
        for j, q in enumerate(("shoes", "</script>", "=1+1"))
    ]
    rows.append("u1\tCANARY secret\t2024-03-02 10:00:00\t\t\n")
    (folder / "log.tsv").write_text("".join(rows))
    store = import_log(folder / "log.tsv", folder / "store")
    out = folder / "releases"
    out.mkdir()
    for name, budget in (("2024-02", (9, 1e-2)), ("2024-03", None)):
        parse("Korolova(epsilon=3, delta=1e-3, d=5)").release(store, out / name, budget=budget)
    return out


@pytest.fixture(scope="module")
def site(releases):
    made = releases.parent / "public"
    make_site([releases], made, TEXTS)
    return made


def test_the_site_has_every_release_and_no_text_of_the_log(site, releases):
    index = (site / "index.html").read_text()
    assert "Our &lt;library&gt;" in index
    assert index.index("2024-03") < index.index("2024-02")
    assert ">6</td>" in index  # the sum of ε
    for path in site.rglob("*"):
        if path.is_file():
            assert b"CANARY" not in path.read_bytes(), path
    search = (site / "searched.js").read_text()
    assert "</script>" not in search
    rows = json.loads(search.removeprefix("const SEARCHED = ").removesuffix(";\n"))
    assert {row[0] for row in rows} == {"shoes", "</script>", "=1+1"}


def test_rows_are_told_by_the_names_of_people(releases):
    label = replace(Release.open(releases / "2024-03").label, tables={"queries": 3, "word_pairs": 1200})
    assert rows_told(label) == [("3", "queries"), ("1,200", "pairs of words")]


def test_the_losses_of_two_logs_are_summed_because_their_people_may_be_the_same(releases, tmp_path):
    (tmp_path / "log.tsv").write_text((releases.parent / "log.tsv").read_text().replace("-03-", "-04-"))
    month = import_log(tmp_path / "log.tsv", tmp_path / "month")
    parse("Korolova(epsilon=3, delta=1e-3, d=5)").release(month, tmp_path / "2024-04", budget=(9, 1e-2))
    make_site([releases, tmp_path / "2024-04"], tmp_path / "public", TEXTS)
    index = (tmp_path / "public" / "index.html").read_text()
    assert re.search(r">all together</th>\s*<td[^>]*>3</td>\s*<td[^>]*>9</td>", index), index[-1500:]


def test_tables_are_the_same_in_both_formats(site):
    folder = site / "releases" / "2024-03"
    parquet, text = pq.read_table(folder / "queries.parquet"), pa_csv.read_csv(folder / "queries.csv")
    assert "'=1+1" in text["query"].to_pylist(), "a spreadsheet would run it"
    read = text.cast(parquet.schema).to_pydict()
    assert parquet.to_pydict() == read | {"query": [query.removeprefix("'") for query in read["query"]]}


def test_what_is_downloaded_can_be_verified(site):
    for name in ("2024-02", "2024-03"):
        Release.open(site / "releases" / name).check()


def test_pages_of_releases_have_the_sites_title_and_picture(releases, tmp_path):
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    texts = replace(TEXTS, logo=picture(tmp_path / "logo.svg"))
    make_site([releases], tmp_path / "out", texts)
    assert 'href="releases/2024-03/page.html"' in (tmp_path / "out/index.html").read_text()
    page = (tmp_path / "out/releases/2024-03/page.html").read_text()
    assert "<h1>Our &lt;library&gt;, 2024-03</h1>" in page
    assert texts.logo in page
    own = (releases / "2024-03" / "index.html").read_bytes()
    assert (tmp_path / "out/releases/2024-03/index.html").read_bytes() == own, "it can be verified"


def test_a_release_that_was_changed_is_not_put_on_a_site(releases, tmp_path):
    shutil.copytree(releases / "2024-03", tmp_path / "changed")
    (tmp_path / "changed" / "label.md").write_text("ε = 0.01")
    with pytest.raises(InputError, match="do not trust it"):
        make_site([tmp_path / "changed"], tmp_path / "out", TEXTS)


def test_croissant_is_valid_and_its_records_can_be_read(site):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlcroissant

        dataset = mlcroissant.Dataset(jsonld=str(site / "releases/2024-03/croissant.json"))
        assert not dataset.metadata.ctx.issues.errors
        records = list(dataset.records("queries"))
    table = pq.read_table(site / "releases/2024-03/queries.parquet")
    assert [r["queries/count"] for r in records] == table["count"].to_pylist()


def valid(entry: object) -> None:
    jsonschema_rs.validator_for(SCHEMA, validate_formats=True).validate(entry)


def test_the_registry_entry_fits_the_registry(site):
    text = (site / "releases/2024-03/registry.yaml").read_text()
    entry = yaml.safe_load(text)
    assert entry == json.loads(text)
    valid(entry)
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"] == pytest.approx(
        {"epsilon": 3, "delta": 1e-3}, rel=0.05
    )
    assert "number_of_privacy_units" not in entry["deployment"]["privacy_loss"], "nobody released it"
    assert date.fromisoformat(entry["deployment"]["basic"]["publication_date"]) == datetime.now(UTC).date()
    entry["deployment"]["surprise"] = 1
    with pytest.raises(jsonschema_rs.ValidationError):
        valid(entry)


def test_entries_of_collections_and_of_other_variants_fit_the_registry(releases):
    label = Release.open(releases / "2024-03").label
    small = Guarantee(1.0, 1e-6, "probabilistic DP")
    odd = replace(label, model=DISTRIBUTED, promise=replace(label.promise, guarantee=small, tables=()))
    who = Curator("A library", "mail@a.example", "To learn.", "Government", "Bavaria", "Education")
    entry = yaml.safe_load(registry_entry(odd, name="Searches", curator=who))
    valid(entry)
    deployment = entry["deployment"]
    assert deployment["dp_variant"]["variant_name"] == "Custom"
    assert "ledger" not in str(deployment["deployment_model"]), "a collection has none"
    assert "imported" not in str(deployment["deployment_model"]), "nobody has a log"
    assert deployment["deployment_model"]["model_name"] == "Federated"
    assert deployment["privacy_loss"]["privacy_parameters"]["delta"] == 1e-6, "YAML reads a number"
    assert deployment["basic"]["data_product_region"] == "Bavaria"


def test_what_the_registry_does_not_know_is_refused_before_anything_is_written():
    with pytest.raises(InputError, match=r"no kind 'Other'.*Government, Industry, Nonprofit"):
        SiteTexts(kind="Other")
    with pytest.raises(InputError, match="no sector"):
        SiteTexts(sector="Libraries")


def test_k_anonymity_has_no_entry_in_a_registry_of_differential_privacy(releases, tmp_path):
    store = import_log(releases.parent / "log.tsv", tmp_path / "store")
    parse("FTu(k=5)").release(store, tmp_path / "k", i_know=True)
    make_site([tmp_path / "k"], tmp_path / "out", TEXTS, i_know=True)
    assert not (tmp_path / "out/releases/k/registry.yaml").exists()
    assert "registry.yaml" not in (tmp_path / "out/index.html").read_text()


def test_a_site_is_replaced_and_nothing_else_is(site, releases, tmp_path):
    make_site([releases / "2024-03"], site.parent / "again", TEXTS)
    (tmp_path / "link").symlink_to(site.parent / "again")
    make_site([releases], tmp_path / "link", TEXTS)
    assert (tmp_path / "link").is_symlink()
    assert (site.parent / "again" / "releases" / "2024-03").is_dir()
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="no site of crowdlog"):
        make_site([releases], tmp_path / "other", TEXTS)
    with pytest.raises(InputError, match="no release in"):
        make_site([tmp_path / "other"], tmp_path / "out", TEXTS)


def test_changed_tables_and_empty_promises_are_refused(releases, tmp_path):
    import shutil

    shutil.copytree(releases / "2024-03", tmp_path / "changed")
    pq.write_table(pa.table({"query": ["CANARY"], "count": [1]}), tmp_path / "changed" / "queries.parquet")
    with pytest.raises(InputError):
        make_site([tmp_path / "changed"], tmp_path / "out", TEXTS)
    store = import_log(releases.parent / "log.tsv", tmp_path / "store")
    parse("Pseudonyms()").release(store, tmp_path / "none", i_know=True)
    with pytest.raises(PrivacyRefusal, match="promises nothing"):
        make_site([tmp_path / "none"], tmp_path / "out", TEXTS)
