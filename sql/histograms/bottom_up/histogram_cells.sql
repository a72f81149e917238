-- histogram_cells: exact counts of the cells of one histogram, the input of the mechanisms.
--
-- zone    confidential
-- reads   counted_codes  one row per counted record
-- writes  one row per cell with records
--           cell_id      bigint  sum of code * stride over the domains
--           exact_count  bigint  records, or the sum of their weights
-- params  {{ cell_terms }}  column of the code, and stride, of each domain of the histogram
-- source  histograms.md section 2.1
-- why     Cells without records have no row here and get a count of zero when noise is added.
with numbered_records as (
    select
        0
        {%- for term in cell_terms %}
        + counted_codes.{{ term.name }} * {{ term.stride }}
        {%- endfor %} as cell_id,
        counted_codes.weight
    from counted_codes
)

select
    cast(numbered_records.cell_id as bigint) as cell_id,
    cast(sum(numbered_records.weight) as bigint) as exact_count
from numbered_records
group by numbered_records.cell_id
