"""What a budget means for one record, from wherever the budget is stated: `safetab-sql semantics`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import cast

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.statement import loss_members, run_statement, said_loss
from safetab_sql.jobs.plan import plan_of_lists
from safetab_sql.kit.errors import DRAWING, InputError, Problem, missing_extras, refuse
from safetab_sql.kit.figures import write_figures
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.kit.words import aligned
from safetab_sql.public.gate import public_file
from safetab_sql.release.folder import read_manifest, release_facts, understood
from safetab_sql.report.privacy_sections import FIGURES, semantics_charts, semantics_tables
from safetab_sql.semantics import profiles
from safetab_sql.semantics.summary import LEVELS, Summary, sentences, summary
from safetab_sql.settings.budgets import UNITS, exact_decimal

_COLUMNS = 110  # of the terminal, for sentences
_BUDGET = ("not a budget", 0, 200)  # e^epsilon and its squares have to fit into a float
_ENDS = {"rho": _BUDGET, "epsilon": _BUDGET, "delta": ("no delta", 0, 1), "order": ("no order", 1, 10_000)}
_SOURCES = ("manifest", "parameters", "allocation", "rho", "epsilon")


@dataclass(frozen=True, slots=True)
class BudgetSource:
    """Where a budget is stated: exactly one of these.

    manifest: manifest.json of a release, or its folder. parameters: of a run, with its code_lists. rho, epsilon: a
    decimal as text; delta, order: with epsilon, as of the command. allocation: semantics.md section 4.3 shows.
    """

    manifest: str | Path | None = None
    parameters: str | Path | None = None
    code_lists: str | Path | None = None
    rho: str | None = None
    epsilon: str | None = None
    delta: str | None = None
    order: str | None = None
    allocation: str | Path | None = None


def semantics(
    source: BudgetSource,
    figures: str | Path | None = None,
    *,
    levels: Sequence[str | float] = (),
    overwrite: bool = False,
) -> Summary:
    """What the budget means for one record: powers of tests, beliefs, and budgets by level and by attribute.

    figures: folder to make, with the figures as SVG. levels: chances of a wrong accusation; default: 0.01 0.05 0.10.
    Raises: InputError where the source is not one, or cannot be read, or the folder may not be made.
    """
    named = [name for name in _SOURCES if getattr(source, name)]
    if len(named) != 1:
        what = f"--{' and --'.join(named)} together" if named else "nothing to explain"
        raise InputError([Problem("semantics", what, f"give one of {', '.join(f'--{name}' for name in _SOURCES)}")])
    refuse(missing_extras(DRAWING) if figures is not None else [])
    chances = {str(level): exact_decimal(str(level)) for level in levels}
    least = Fraction(1, 10**6)
    wrong = [text for text, level in chances.items() if level is None or not least <= level <= 1 - least]
    refuse([Problem(f"--level {text}", "not a chance between 0 and 1", "say it like 0.05") for text in wrong])
    found = summary(_profile(source), tuple(float(each) for each in chances.values() if each is not None) or LEVELS)
    if figures is not None:
        with whole_folder(Path(figures), [f"{name}.svg" for name in FIGURES], overwrite=overwrite) as folder:
            write_figures(folder, {chart.name: chart.figure for chart in semantics_charts(found)}, ("svg",))
    return found


def _profile(source: BudgetSource) -> profiles.Profile:
    numbers = _numbers(source)
    if "rho" in numbers:
        return profiles.budget_profile("zcdp", numbers["rho"])
    if "epsilon" in numbers:
        others = numbers.get("delta", Fraction(0)), numbers.get("order")
        return profiles.budget_profile("puredp", numbers["epsilon"], *others)
    if source.allocation is not None:
        return profiles.allocation_profile(profiles.load_allocation(public_file("allocation", source.allocation).path))
    if source.parameters is not None:
        seen = plan_of_lists(source.parameters, source.code_lists)
        ledger = run_statement(seen.ledger, totals={})
        return profiles.run_profile(ledger, seen.parameters, Path(source.parameters).name)
    path = Path(cast(str | Path, source.manifest))
    path = path / "manifest.json" if path.is_dir() else path
    facts = release_facts(read_manifest(path), path)  # reconciling costs no privacy
    with understood(path):
        return profiles.run_profile(facts.run.ledger, facts.parameters, path.absolute().parent.name)


def _numbers(source: BudgetSource) -> dict[str, Fraction]:
    """The numbers that a source says. Raises: InputError with those that are none."""
    given = {name: text for name in _ENDS if (text := getattr(source, name)) is not None}
    found = {name: exact_decimal(text) or Fraction(0) for name, text in given.items()}
    about = [(name, *_ENDS[name]) for name, value in found.items() if not _ENDS[name][1] < value <= _ENDS[name][2]]
    refuse([Problem("--order", "stands beside --delta", "give one of them")] * ({"delta", "order"} <= given.keys()))
    fix = "say a decimal above {}, at most {}"
    refuse([Problem(f"--{name}", f"'{given[name]}' is {what}", fix.format(*ends)) for name, what, *ends in about])
    return found


def summary_text(found: Summary) -> str:
    """The summary for people to read: tables, then sentences."""
    unit = UNITS[found.profile.definition]
    head = f"{found.profile.title}: {unit} {rounded_up(found.profile.budget)} of {found.profile.compared}"
    head += f"\nQuote {found.profile.quoted}." if found.profile.quoted else ""
    parts = [head, *([] if found.profile.unit.is_person else [fill(said_loss(found.profile.loss), _COLUMNS)])]
    for table in semantics_tables(found):
        rows = [table.columns, *([str(cell) for cell in row] for row in table.rows)]
        parts.append(f"{table.caption}\n{aligned(rows)}")
    return "\n\n".join([*parts, *(fill(sentence, _COLUMNS) for sentence in sentences(found))])


def summary_json(found: Summary) -> dict[str, object]:
    """The summary as JSON: budgets exact, chances as floats; every key with `bound` or `upper` is an upper bound."""
    profile, loss = found.profile, found.profile.loss
    return {
        "title": profile.title,
        "privacy_definition": profile.guarantee,
        "neighbours": profile.compared,
        **{"budget": profile.budget, "delta": profile.delta, "order": profile.order},
        **({"quoted": profile.quoted} if profile.quoted else {}),
        **(loss_members(profile.unit, loss.of_record, loss.of_person) if profile.neighbours == profiles.ADDED else {}),
        "budget_of_one_record_changed": profile.changed,
        **{"powers": found.powers, "beliefs": found.beliefs, "levels": found.levels, "secrets": found.secrets},
        "epsilon_delta": found.deltas,
        "in_words": list(sentences(found)),
    }
