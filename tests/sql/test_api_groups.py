"""api_groups: regions of every standard type as the Census API names them."""

from tests.census import region_types

T1 = """
    REGION_TYPE | REGION_ID   | ITERATION_CODE | COUNT | MOE95
            USA | 1           |           0102 |    -3 |     3
          STATE | 06          |           0102 |     7 |     2
         COUNTY | 44007       |           0102 |     7 |     2
          TRACT | 44007010102 |           0102 |     7 |     2
          PLACE | 4459000     |           0102 |     7 |     2
         AIANNH | 2430        |           0102 |     7 |     2
       PR-STATE | 72          |           0102 |     7 |     2
      PR-COUNTY | 72001       |           0102 |     7 |     2
       PR-TRACT | 72001956300 |           0102 |     7 |     2
       PR-PLACE | 7206593     |           0102 |     7 |     2
"""
GIVEN = {
    "t1": T1,
    "exported_index": """
        REGION_TYPE | REGION_ID   | ITERATION_CODE | REGION_NAME       | ITERATION_NAME
                USA | 1           |           0102 |              NULL |    Irish alone
              STATE | 06          |           0102 |              NULL |    Irish alone
             COUNTY | 44007       |           0102 | Providence County |    Irish alone
              TRACT | 44007010102 |           0102 |              NULL |    Irish alone
              PLACE | 4459000     |           0102 |              NULL |    Irish alone
             AIANNH | 2430        |           0102 |              NULL |    Irish alone
           PR-STATE | 72          |           0102 |              NULL |    Irish alone
          PR-COUNTY | 72001       |           0102 |              NULL |    Irish alone
           PR-TRACT | 72001956300 |           0102 |              NULL |    Irish alone
           PR-PLACE | 7206593     |           0102 |              NULL |    Irish alone
    """,
}
IDS = {
    "USA": "0100000US",
    "STATE": "0400000US06",
    "COUNTY": "0500000US44007",
    "TRACT": "1400000US44007010102",
    "PLACE": "1600000US4459000",
    "AIANNH": "2500000US2430",
    "PR-STATE": "0400000US72",
    "PR-COUNTY": "0500000US72001",
    "PR-TRACT": "1400000US72001956300",
    "PR-PLACE": "1600000US7206593",
}


def test_every_standard_region_type_has_a_summary_level_and_counts_and_names_stay(run_sql):
    assert {row[0]: row[3] for row in run_sql("api_groups", given=GIVEN)} == IDS
    assert set(IDS) == {kind.name for kind in region_types()}
    assert ("USA", "1", "0102", "0100000US", None, "Irish alone", -3, 3.0) in run_sql("api_groups", given=GIVEN)
    assert [row[4] for row in run_sql("api_groups", given=GIVEN) if row[0] == "COUNTY"] == ["Providence County"]
