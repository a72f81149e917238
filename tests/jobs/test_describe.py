"""`describe`: a release in a few lines, its files against the manifest, and its record for a public registry."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from safetab_sql.accounting.ledger_file import LedgerFile, enter_release, reserve
from safetab_sql.cli import main
from safetab_sql.jobs.describe import Description, describe, open_fields, registry_record, yaml_text
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.laws.cumulative import is_tabulable
from safetab_sql.published.manifest_models import ReconciledCounts
from tests.cli.test_ledger_options import EARLIER
from tests.published.conftest import Release, manifest

# The fields of the registry's template of 2026 that every record has.
SECTIONS = {"basic", "dp_variant", "privacy_loss", "deployment_model", "implementation", "administrative"}
TEXT: dict[str, Any] = {"type": "string"}


def fields(needed: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {**needed, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


def words(*allowed: str) -> dict[str, Any]:
    return {"enum": list(allowed)}


def texts(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, TEXT)


# The form of a record of the registry: its fields, and the words that may stand in some. A draft may leave words open.
CURATOR = fields({"data_curator_name": TEXT, "data_curator_type": words("", "Government", "Industry", "Nonprofit")})
REGISTRY = fields(
    {
        "url_slug": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "deployment": fields(
            {
                "basic": fields(
                    {
                        **texts("name", "description", "intended_use", "data_product_region", "data_product_sector"),
                        "data_curators": {"type": "array", "items": CURATOR, "minItems": 1},
                        "data_product_type": words("Summary statistics", "Machine learning model", "Dataset"),
                        "publication_date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
                    }
                ),
                "dp_variant": fields(
                    {
                        "variant_name": words("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP"),
                        **texts("data_domain", "unprotected_quantities"),
                    }
                ),
                "privacy_loss": fields(
                    {
                        **texts("privacy_unit", "privacy_unit_details", "privacy_parameters_details"),
                        "privacy_parameters": fields(
                            {}, {key: {"type": "number"} for key in ("epsilon", "rho", "delta")}
                        ),
                    }
                ),
                "deployment_model": fields(
                    {
                        "model_name": words("Local", "Central", "Shuffle", "Federated"),
                        **texts("trust_assumptions", "actors", "release_type_details"),
                        "release_type": words("One release", "Many releases"),
                        "data_source_type": words("Static", "Dynamic"),
                        "access_type": words("Interactive", "Non-interactive"),
                    }
                ),
                "implementation": fields(
                    texts(
                        *("preprocessing_and_hyperparameter_tuning", "mechanisms", "composition", "post_processing"),
                        *("justification", "utility", "additional_information"),
                    )
                ),
                "administrative": fields(
                    {
                        "evidence_sources": {"type": "object"},
                        "status": words("Draft", "Pending", "Approved"),
                        "registry_authors": {"type": "array", "items": TEXT, "minItems": 1},
                        "tier": {"enum": [1, 2, 3]},
                    }
                ),
            }
        ),
    }
)


@pytest.fixture
def copy(release: Release, tmp_path: Path) -> Path:
    return Path(shutil.copytree(release(), tmp_path / "copy"))


@pytest.fixture(scope="module")
def record(release: Release) -> dict[str, Any]:
    return dict(registry_record(describe(release())))


def without_ends(value: Any) -> Any:
    """The value with its texts without line breaks at their ends: blocks of YAML have one."""
    if isinstance(value, dict):
        return {key: without_ends(each) for key, each in value.items()}
    return [without_ends(each) for each in value] if isinstance(value, list) else str(value).rstrip("\n")


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as refused:
        describe(folder)
    return [f"{Path(each.where).relative_to(folder)} {each.what.partition(' (')[0]}" for each in refused.value.problems]


def test_every_file_of_an_untouched_release_is_as_the_manifest_says(release: Release) -> None:
    found = describe(release())
    assert (found.date, found.is_reconciled) == (manifest(release())["date"], False)
    assert found.files == {file["file"]: file["sha256"] for file in manifest(release())["files"]}
    assert found.manifest == manifest(release())


def test_a_changed_a_missing_and_an_additional_file_are_all_named(copy: Path) -> None:
    (copy / "codes" / "SEX.csv").write_text("CODE,MEANING\n")
    (copy / "t1" / "t1.parquet").rename(copy / "t1" / "more.parquet")
    assert problems(copy) == [
        "codes/SEX.csv has another SHA-256",
        "t1/more.parquet is not named in the manifest",
        "t1/t1.parquet is missing; the manifest names it",
    ]


def test_the_command_says_what_was_lost_and_that_the_files_are_right(
    release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["describe", str(release())]) == 0
    said = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    loss = manifest(release())["ledger"]["totals"]["one_person"]["decimal"]
    assert said["loss of a record"].strip().startswith(f"rho {loss}: inputs that differ by one person")
    assert said["files"].strip().endswith("all as the manifest says")


def test_the_record_has_the_sections_of_the_registry_and_the_budget_of_the_ledger(
    record: dict[str, Any], release: Release
) -> None:
    loss = float(manifest(release())["ledger"]["totals"]["one_person"]["decimal"])
    assert record["deployment"].keys() == SECTIONS
    assert record["deployment"]["privacy_loss"]["privacy_parameters"] == {"rho": loss}
    assert record["deployment"]["dp_variant"]["variant_name"] == "Zero-concentrated DP"


def test_the_record_has_the_form_of_the_registry(record: dict[str, Any]) -> None:
    titled = {**record, "url_slug": record["url_slug"] or "made-up"}
    assert [f"{error.json_path}: {error.message}" for error in Draft202012Validator(REGISTRY).iter_errors(titled)] == []
    assert not Draft202012Validator(REGISTRY).is_valid({**titled, "deployment": {**record["deployment"], "more": ""}})


def test_the_record_of_a_run_with_other_bits_says_that_it_protects_nobody(record: dict[str, Any]) -> None:
    assert "NOT RELEASABLE" in record["deployment"]["implementation"]["mechanisms"]


def test_the_record_says_that_noise_is_drawn_by_inversion_as_it_is(release: Release) -> None:
    """Every law of the release is narrow enough for a table, and of such a law no draw is made by rejection."""
    found = describe(release())
    published = replace(found.facts.manifest.published, releasable=True)
    facts = replace(found.facts, manifest=replace(found.facts.manifest, published=published))
    said = registry_record(replace(found, facts=facts))["deployment"]["implementation"]["mechanisms"]
    laws = [level.measured_law(is_total_only=is_so) for level in facts.levels for is_so in (False, True)]
    assert all(map(is_tabulable, laws))
    assert "drawn exactly: by inversion of its distribution function" in said


def test_what_only_the_publisher_knows_is_left_open(record: dict[str, Any]) -> None:
    found = set(open_fields(record))
    assert {"deployment/basic/intended_use", "deployment/implementation/justification"} <= found
    assert not [place for place in found if "privacy_loss" in place]


def test_a_record_is_yaml_of_the_same_content(record: dict[str, Any]) -> None:
    odd = {"a": {"b": ['it\'s "c"', "two\nlines", "yes"], "d": {}, "e": 1.5}}
    for one in (record, odd):
        assert without_ends(yaml.safe_load(yaml_text(one))) == without_ends(one)


def test_a_reconciled_release_says_so(release: Release) -> None:
    texts = dict.fromkeys(("method", "privacy", "moe95", "survived_suppression"), "")
    flags = dict.fromkeys(("stage_1", "integers", "rows_are_independent"), False)
    said = ReconciledCounts(divisions={}, nested_iterations=0, public_inputs={}, **texts, **flags)
    reconciled = replace(describe(release()).facts, reconciled=said)
    done = registry_record(Description(reconciled, None))["deployment"]["implementation"]["post_processing"]
    assert "Least squares" in done


def test_a_word_that_was_changed_in_a_manifest_shows_beside_the_ledger(
    release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No digest in the release covers its manifest."""
    out, kept = shutil.copytree(release(), tmp_path / "out"), LedgerFile(tmp_path / "ledger")
    reserve(kept, EARLIER)
    enter_release(kept, EARLIER, sha256_of(out / "manifest.json"))
    options = ["describe", str(out), "--ledger", str(kept.path)]
    assert main(options) == 0
    assert f"yes, as run {EARLIER.run}" in capsys.readouterr().out
    text = (out / "manifest.json").read_text(encoding="utf-8")
    (out / "manifest.json").write_text(text.replace('"accounted": false', '"accounted": true'), encoding="utf-8")
    assert (main(options[:2]), main(options)) == (0, 2)
    assert "is the manifest of no run that" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["describe"], ["moe", "--sum", "true"]])
def test_a_manifest_that_calls_releasable_what_its_files_call_the_reverse_is_refused(
    release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    out = shutil.copytree(release(), tmp_path / "out")
    text = (out / "manifest.json").read_text(encoding="utf-8")
    (out / "manifest.json").write_text(text.replace('"releasable": false', '"releasable": true'), encoding="utf-8")
    assert main([command[0], str(out), *command[1:]]) == 2
    assert "t1.parquet: says that it is of no release to be published" in capsys.readouterr().err


def test_the_word_of_a_manifest_that_it_stands_in_a_ledger_is_called_that(
    release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shutil.copytree(release(), tmp_path / "out")
    text = (out / "manifest.json").read_text(encoding="utf-8")
    (out / "manifest.json").write_text(text.replace('"accounted": false', '"accounted": true'), encoding="utf-8")
    assert main(["describe", str(out)]) == 0
    assert "the manifest says that it stands in a ledger: check it with describe --ledger" in capsys.readouterr().out


def test_a_release_in_no_ledger_says_so(release: Release, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", str(release())]) == 0
    assert "accounted     no: in no ledger" in re.sub(" {2,}", "     ", capsys.readouterr().out)
