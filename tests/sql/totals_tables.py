"""Published totals that the tests of their checks share."""


def total_rows(*rows: str) -> str:
    """Rows of total_rows: region type, region, iteration and count as it is written."""
    lines = []
    for row in rows:
        kind, region, iteration, count = (cell.strip() for cell in row.split("|"))
        number = count if count.lstrip("-").isdigit() else "NULL"
        lines.append(f"{region} | {kind} | {iteration} | {number} | {count}")
    return "\n".join(["region_id | region_type | iteration_code | published_count | given_count", "-", *lines])
