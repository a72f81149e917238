"""What statements outside a run ask for, imagined: so that `sql show` can print them before anybody runs them."""

from collections.abc import Mapping

# By the folder under sql/ whose statements ask; no name is asked for by two folders.
SAMPLE_VALUES: Mapping[str, Mapping[str, object]] = {
    "1_inputs": {"text_file": "person-records.txt", "text_columns": "{ 'QAGE': 'varchar' }"},
    "reports": {"t2_files": ["release/t2/t2.parquet"]},
}
