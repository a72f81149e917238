"""The report says of stage 1 what the release did with it."""

import pytest

from safetab_sql.report.published_sections import stage_1_sentence


@pytest.mark.parametrize(
    ("parameters", "said"), [({}, "is never published"), ({"publish_stage_1": True}, "are published too")]
)
def test_the_report_says_whether_stage_1_is_published(parameters, said):
    assert said in stage_1_sentence({"parameters": parameters})
