"""Invented values for the parameters of statements, so that `sql show` can print them before anybody runs them."""

from collections.abc import Mapping

from safetab_sql.settings.attributes import Attribute

SAMPLE_VALUES: Mapping[str, object] = {
    # run/1_inputs
    "text_file": "person-records.txt",
    "text_columns": "{ 'QAGE': 'varchar' }",
    "delimiter": "|",
    "quotation_mark": "",
    # histograms/bottom_up
    "table_files": ["persons.parquet"],
    "value_columns": [
        {"name": "value_1", "expression": 'as_text("QSEX")'},
        {"name": "value_2", "expression": 'as_text("QAGE")'},
    ],
    "given_weight": "1",
    "weight": "1",
    "record_id": "null",
    "coded_domains": [
        {"name": "code_1", "candidates": "codes_of_1.code"},
        {"name": "code_2", "candidates": "code_in_range(signed_number_from_text(table_values.value_2), 0, 115)"},
    ],
    "listed_domains": [{"domain_id": 0, "lookup": "codes_of_1", "key": "table_values.value_1"}],
    "cell_terms": [{"name": "code_1", "stride": 116}, {"name": "code_2", "stride": 1}],
    "examined_columns": [{"name": "QSEX", "value": "value_1"}],
    "examined_domain": {"domain_id": 0, "key": "table_values.value_1", "candidates": "domain_codes.code"},
    "maximum_weight": 10,
    # run: all groups as one range
    "first_population_group_id": 0,
    "end_population_group_id": 9_223_372_036_854_775_807,
    # tools/report and tools/example
    "t2_files": ["release/t2/t2.parquet"],
    "picked_types": ["USA", "STATE"],
    # run --format api
    "published_statistic": "age4",
    "api_counts": {"T02001_001N": 1},
    "api_margins": {"T02001_001M": 1},
    # histograms/synthesize, which asks for table_files too
    "synthetic_files": ["synthetic.parquet"],
    "scored_columns": [
        {"name": "field_1", "exact": 'as_text(exact_rows."QSEX")', "synthetic": 'as_text(synthetic_rows."QSEX")'},
        {"name": "field_2", "exact": 'as_text(exact_rows."QAGE")', "synthetic": 'as_text(synthetic_rows."QAGE")'},
    ],
    "rule_columns": [{"name": "field_1", "exact": 'as_number(exact_rows."QSEX")'}],
    "chosen_files": ["persons.parquet"],
    "chosen_places": [0],
    "listed_conditions": [{"name": "field_1", "numbers": "(1, 2)"}],
    "near_conditions": [{"name": "field_2", "centre": "30", "reach": "5.5"}],
    "income_columns": ["field_1", "field_2", "field_2"],
    "marginal_columns": ["field_1", "field_2"],
    # tools/reconcile
    "first_group": 0,
    "last_group": 99,
    "suppressed_types": ["COUNTY", "TRACT"],
    "several_kinds": ["alone", "combination"],
    "total_row": -1,
    # tools/provenance
    "compared_files": ["persons.parquet"],
    "compared_columns": ["QSEX", "QAGE"],
    # tools/views
    "view_files": ["persons.parquet"],
    "person_column": "QSEX",
    # tools/report
    "total_name": "total",
    "columns_of_totals": {"REGION_ID": "*"},
    "released_column": "COUNT",
    # tools/ground_truth
    "first_statistic": 1,
    "end_statistic": 4,
    "level_id": 1,
    "first_group_id": 0,
    "last_group_id": 2**53,
    "table_floor": 0,
    # tools/evaluate
    "runs": 20,
    "is_unknown": True,
    # checks, once for each attribute
    "attribute": Attribute("AGE", column="QAGE", minimum=0, maximum=115),
}
