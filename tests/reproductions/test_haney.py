"""The page with the paper's tables is what the program writes, and says what the paper's numbers say."""

import pytest

from docs.reproductions.haney import DELTA, GAMMA, PRINTED, STABILITY, page, paper_calls
from safetab_sql.accounting.accountants import formula_totals
from safetab_sql.semantics.targets import exact_level_budget, table_call_budget
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "reproductions" / "haney.md"


@pytest.mark.slow
def test_the_page_is_current():
    """Write it again with `make reproductions`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_figures_in_the_text_are_computed_ones():
    exact = {
        definition: sum(exact_level_budget(definition, row.moe, STABILITY, GAMMA) for row in PRINTED)
        for definition in ("zcdp", "puredp")
    }
    assert (f"{float(exact['zcdp']):.3f}", f"{float(exact['puredp']):.2f}") == ("1.215", "16.12")
    assert f"{float(STABILITY * table_call_budget('puredp', 11) / GAMMA):.1f}" == "22.4"
    gaussian = formula_totals("zcdp", paper_calls("zcdp"), DELTA)[0].epsilon
    geometric = formula_totals("puredp", paper_calls("puredp"), DELTA)[1].epsilon
    assert round(100 * (1 - gaussian / geometric)) == 14
