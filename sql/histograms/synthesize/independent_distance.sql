-- independent_distance: distance of the exact marginal of some fields from the product of the fields' own shares.
--
-- zone    confidential
-- reads   scored_rows  one row per exact row and synthetic row
-- writes  one row per set of fields
--           distance  double  sum over all cells of |share of exact rows - product of the fields' own shares|, 0 to 2
-- params  {{ marginal_columns }}  name in scored_rows of each field of the set
-- source  histograms.md section 5
-- why     The naive baseline draws every field independently. Here it has no noise, so no method that draws the fields
--         independently does better, at any epsilon. Cells without exact rows hold the rest of the product.
with counted_cells as (
    -- one row per combination of values that occurs
    select
        {%- for column in marginal_columns %}
        scored_rows.{{ column }},
        {%- endfor %}
        count(*) as exact_count
    from scored_rows
    where scored_rows.is_exact
    group by
        cast(null as varchar)
        {%- for column in marginal_columns %},
        scored_rows.{{ column }}
        {%- endfor %}
),

cell_shares as (
    select
        counted_cells.exact_count / sum(counted_cells.exact_count) over () as exact_share,
        1.0e0
        {%- for column in marginal_columns %}
        * sum(counted_cells.exact_count) over (partition by counted_cells.{{ column }})
        / sum(counted_cells.exact_count) over ()
        {%- endfor %} as product_of_shares
    from counted_cells
)

select sum(abs(cell_shares.exact_share - cell_shares.product_of_shares) - cell_shares.product_of_shares) + 1 as distance
from cell_shares
