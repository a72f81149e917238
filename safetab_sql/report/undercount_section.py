"""The section that sets the noise beside people whom a census misses or counts twice, for scale.

Source: U.S. Census Bureau, 2020 Post-Enumeration Survey, net coverage error (March and May 2022); D. Kifer,
Differential Privacy in Practice.
"""

from math import ceil

from safetab_sql.report.release import Reported
from safetab_sql.report.sections import Cell, Section, Table
from safetab_sql.settings.parameters import census

# Net coverage error in percent of the people: below 0 where people were missed. * where it differs from 0 by more than
# chance. Source: 2020 Post-Enumeration Survey, by race and Hispanic origin, and by state.
_COVERAGE = (
    ("United States", "-0.24"),
    ("Hispanic or Latino", "-4.99*"),
    ("Black or African American, alone or in combination", "-3.30*"),
    ("American Indian or Alaska Native, on reservations", "-5.64*"),
    ("Asian, alone or in combination", "+2.62*"),
    ("Non-Hispanic White alone", "+1.64*"),
    ("Texas: 548,000 people missed of 28,540,000", "-1.92*"),
    ("New York: 674,000 people counted too many of 19,590,000", "+3.44*"),
)
_OF_2020 = Table("Net coverage error of the 2020 Census, percent; * differs from 0", ("People", "Percent"), _COVERAGE)
_ABOUT_2020 = (
    "The second says how large it was in the census of 2020, by a survey taken after it. It says nothing of the "
    "records behind this release."
)


def undercount_section(release: Reported) -> Section:
    """From which size of group on missed people outweigh the noise, by kind of count.

    Where persons answer the questions of the 2020 Census, also how large its net coverage error was.
    """
    parameters = release.facts.parameters
    is_census = parameters.questions.lists == census().questions.lists and parameters.unit.is_person
    margins = {(kind.level, kind.count_moe95.median): None for kind in release.kinds}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (level, f"±{moe95:,.0f}", *(f"{ceil(moe95 / share):,}" for share in (0.01, 0.05))) for level, moe95 in margins
    )
    return Section(
        id="undercount",
        title="Noise beside undercount",
        paragraphs=(
            "A count can be wrong without any noise: records are missing, stand twice or in the wrong place, and "
            "answers that nobody gave are filled in. Margins of error do not cover that.",
            "The first table says from which size of a group on such an error outweighs the noise in one count.",
            *([_ABOUT_2020] if is_census else []),
        ),
        tables=(
            Table(
                "Sizes of groups from which undercount outweighs noise",
                ("Level", "MOE95 of a count", "Size, if 1 % are missing", "Size, if 5 % are missing"),
                rows,
            ),
            *([_OF_2020] if is_census else []),
        ),
    )
