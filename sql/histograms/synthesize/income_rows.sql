-- income_rows: city, sex and wage of everybody with a wage.
--
-- zone    confidential
-- reads   scored_rows  one row per exact row and synthetic row
-- writes  one row per exact row and synthetic row with a wage
--           is_exact  boolean  true for an exact row, false for a synthetic row
--           city      integer  where the person lives
--           sex       integer  1 male, 2 female
--           wage      integer  dollars
-- params  {{ income_columns }}  names in scored_rows of city, sex and wage, in this order
-- source  histograms.md section 5.1
-- why     The codes 999998 and 999999 say that there is no wage.
with named_rows as (
    select
        scored_rows.is_exact,
        [
            {%- for column in income_columns %}
            as_number(scored_rows.{{ column }}),
            {%- endfor %}
        ] as numbers
    from scored_rows
)

select
    named_rows.is_exact,
    named_rows.numbers[1] as city,
    named_rows.numbers[2] as sex,
    named_rows.numbers[3] as wage
from named_rows
where named_rows.numbers[3] < 999998
