-- marginal_distance: distance between the marginals of some fields in the synthetic rows and in the exact rows.
--
-- zone    confidential
-- reads   scored_rows  one row per exact row and synthetic row
-- writes  one row per set of fields
--           distance  double  sum over all cells of |share of exact rows - share of synthetic rows|, 0 to 2
-- params  {{ marginal_columns }}  name in scored_rows of each field of the set
-- source  histograms.md section 5
-- why     Numbers are whole until one division at the end, so the order in which rows are added changes nothing.
with counted_cells as (
    -- one row per combination of values that occurs
    select
        cast(count(*) filter (where scored_rows.is_exact) as hugeint) as exact_count,
        cast(count(*) filter (where not scored_rows.is_exact) as hugeint) as synthetic_count
    from scored_rows
    group by
        cast(null as varchar),
        {{ marginal_columns | of("scored_rows") }}
),

counted_rows as (
    select
        sum(counted_cells.exact_count) as exact_rows,
        sum(counted_cells.synthetic_count) as synthetic_rows
    from counted_cells
)

select
    cast(
        sum(
            abs(
                counted_cells.exact_count * counted_rows.synthetic_rows
                - counted_cells.synthetic_count * counted_rows.exact_rows
            )
        ) as double
    ) / cast(max(counted_rows.exact_rows * counted_rows.synthetic_rows) as double) as distance
from counted_cells
cross join counted_rows
