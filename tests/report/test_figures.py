"""Figures: one specification for papers and for the page."""

import re

import pytest

from safetab_sql.kit.figures import INK, PALETTE, figure, page_figure, svg

BARS = figure(
    "People by state",
    "Two bars.",
    [{"state": "Ohio", "people": 3}, {"state": PALETTE[1], "people": 5}],
    {
        "height": {"step": 20},
        "mark": {"type": "bar", "color": PALETTE[0]},
        "encoding": {"x": {"field": "people", "type": "quantitative"}, "y": {"field": "state", "type": "nominal"}},
    },
)


def test_a_figure_is_drawn_as_svg_with_its_title_and_colours():
    drawn = svg(BARS)
    assert "People by state" in drawn
    assert PALETTE[0] in drawn


def test_a_height_by_row_becomes_a_height_in_pixels_for_the_page():
    assert page_figure(BARS)["height"] == 40


@pytest.mark.parametrize("colour", [*PALETTE, INK])
def test_every_colour_of_the_page_is_in_its_style_sheet(colour, report):
    variable = page_figure({"mark": {"color": colour}, "config": {}})["mark"]["color"]
    name = variable.removeprefix("var(").removesuffix(")")
    assert len(re.findall(rf"{name}: #[0-9a-f]{{6}};", report.html)) == 3  # light, dark by preference, dark by choice
