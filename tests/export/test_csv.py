"""CSV, read back by the validator of the package csvw: every value of every table, with the types of the metadata."""

from pathlib import Path

import csvw

from safetab_sql.jobs.export import export
from tests.export.conftest import ONE
from tests.export.released import labelled, tables


def test_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, tmp_path: Path) -> None:
    export(folder, tmp_path / "csv", format="csv", resources=ONE)
    group = csvw.TableGroup.from_file(tmp_path / "csv" / "csv-metadata.json")
    read = {
        str(table.url).removesuffix(".csv"): list(table.iterdicts(strict=True))
        for table in group.tables
        if not str(table.url).startswith("codes/")
    }
    assert read.keys() == tables(folder).keys()
    assert read == labelled(folder)
    assert group.check_referential_integrity()
