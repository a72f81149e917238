"""The accuracy of bottom-up histograms by epsilon, as a section of the report."""

import pyarrow as pa

from safetab_sql.histograms.evaluation.curve import curve_figure
from safetab_sql.report.sections import Section, chart


def curve_section(curve: pa.Table) -> Section:
    """The curve in the HTML report."""
    heads = {"epsilon": "epsilon", "margin": "margin", "accuracy": "accuracy", "median": "median", "lower": "5 %"}
    return Section(
        id="bottom-up-curve",
        title="Accuracy by epsilon",
        paragraphs=(
            "The accuracy at each epsilon, for choosing one. A1 is 1 minus the sum of absolute errors divided by the "
            "sum of exact counts; A2 is the same with squares. Both are at least 0.",
            "A2 approaches 1 before A1: squares give weight to large counts, which noise of a fixed width hardly "
            "changes.",
        ),
        figures=(
            chart(
                "bottom-up-curve",
                curve_figure(curve),
                "Medians of the replicates; the bands hold nine in ten of them.",
                {**heads, "upper": "95 %"},
            ),
        ),
    )
