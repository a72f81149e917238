-- conjunction_shares: the share of the rows that meet a rule: of the exact, the synthetic, and of independent columns.
--
-- zone    confidential
-- reads   scored_rows  one row per exact row and synthetic row
-- writes  one row per rule
--           exact_share        double  of the exact rows: those that meet every condition
--           synthetic_share    double  of the synthetic rows
--           independent_share  double  the product, over the conditions, of the share of exact rows that meet it
-- params  {{ listed_conditions }}  name of a field in scored_rows, and the numbers that it may be
--         {{ near_conditions }}    name of a field, a number, and how far from it the field may be
-- source  histograms.md section 5.1
with judged_rows as (
    -- one row per exact row and synthetic row
    select
        scored_rows.is_exact
        {%- for condition in listed_conditions %},
        coalesce(as_number(scored_rows.{{ condition.name }}) in {{ condition.numbers }}, false) as {{ condition.name }}
        {%- endfor %}
        {%- for condition in near_conditions %},
        coalesce(
            abs(as_number(scored_rows.{{ condition.name }}) - {{ condition.centre }}) <= {{ condition.reach }}, false
        ) as {{ condition.name }}
        {%- endfor %}
    from scored_rows
)

select
    avg(cast((
        true
        {%- for condition in listed_conditions %}
        and judged_rows.{{ condition.name }}
        {%- endfor %}
        {%- for condition in near_conditions %}
        and judged_rows.{{ condition.name }}
        {%- endfor %}
    ) as double)) filter (where judged_rows.is_exact) as exact_share,
    avg(cast((
        true
        {%- for condition in listed_conditions %}
        and judged_rows.{{ condition.name }}
        {%- endfor %}
        {%- for condition in near_conditions %}
        and judged_rows.{{ condition.name }}
        {%- endfor %}
    ) as double)) filter (where not judged_rows.is_exact) as synthetic_share,
    1.0e0
    {%- for condition in listed_conditions %}
    * avg(cast(judged_rows.{{ condition.name }} as double)) filter (where judged_rows.is_exact)
    {%- endfor %}
    {%- for condition in near_conditions %}
    * avg(cast(judged_rows.{{ condition.name }} as double)) filter (where judged_rows.is_exact)
    {%- endfor %} as independent_share
from judged_rows
