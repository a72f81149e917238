"""What the tests of sql/tools/quality share: tables of two groups, their sums, and totals."""

HEAD = "REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95"
T1_HEAD = "REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | VARIANCE | MOE95"


def t2(*rows: str) -> str:
    """Table t2 of these rows: `44007 | COUNTY | 2210 | 0 | 17 | 1 | 5 | 4.0 | 4`."""
    return "\n".join([HEAD, *rows])


def t1(*rows: str) -> str:
    """Table t1 of these rows: `44 | STATE | 2210 | 5 | 4.0 | 4`."""
    return "\n".join([T1_HEAD, *rows])


def county(number: int, men: tuple[int, int], women: tuple[int, int], variance: float = 4.0) -> list[str]:
    """Cells of two bins, and the sums of the sexes, of a group in county 44, `number`."""
    group = f"44{number:03} | COUNTY | 2210"
    cells = [
        f"{group} | {ages} | {sex} | {count} | {variance} | 4"
        for sex, counts in ((1, men), (2, women))
        for ages, count in zip(("0 | 17", "18 | 115"), counts, strict=True)
    ]
    sums = [f"{group} | * | * | {sex} | {sum(counts)} | {2 * variance} | 6" for sex, counts in ((1, men), (2, women))]
    return [*cells, *sums]
