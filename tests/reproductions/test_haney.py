"""The text of the page with the paper's tables says what is computed."""

from docs.reproductions.haney import DELTA, GAMMA, PRINTED, STABILITY, paper_calls
from safetab_sql.accounting.accountants import formula_totals
from safetab_sql.semantics.targets import exact_level_budget, table_call_budget


def test_the_figures_in_the_text_are_computed_ones():
    exact = {
        definition: sum(exact_level_budget(definition, row.moe, STABILITY, GAMMA) for row in PRINTED)
        for definition in ("zcdp", "puredp")
    }
    assert (f"{float(exact['zcdp']):.3f}", f"{float(exact['puredp']):.2f}") == ("1.215", "16.12")
    assert f"{float(STABILITY * table_call_budget('puredp', 11) / GAMMA):.1f}" == "22.4"
    _, on_grid, closed = formula_totals("zcdp", paper_calls("zcdp"), DELTA)
    geometric = formula_totals("puredp", paper_calls("puredp"), DELTA)[1].epsilon
    assert [round(100 * (1 - one.epsilon / geometric)) for one in (closed, on_grid)] == [10, 14]
    printed = formula_totals("puredp", paper_calls("puredp"), 10 * DELTA)[3].epsilon
    assert 13.15 < printed <= 13.16
