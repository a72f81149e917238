-- exported_rows: every published row of a ladder, totals and table alike, by the number of the row.
--
-- zone    published
-- kind    view
-- reads   t1              one row per population group with a published count
--         t2              one row per population group and cell of its table, and one per group and published sum
--         ladder_rows     one row per combination of published codes
--         exported_index  one row per population group with a published count
-- writes  one row per row of t1 and of t2
--           REGION_TYPE     varchar  name of the region type
--           REGION_ID       varchar  code of the region
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           row_id          integer  key of ladder_rows; their number where a total stands apart
--           STATISTIC       varchar  the table that the group got, or the name of the total
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group
--           COUNT           bigint   persons, noisy, or what a ladder of sums adds up; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
--           {{ noisy_counts }}  bigint  of a reconciled row, persons as released
-- params  {{ ladder_columns }}  name of each published column
--         {{ counted }}         the name of what is counted
--         {{ noisy_counts }}    NOISY_COUNT where the tables have it
--         $has_totals           boolean  whether totals stand apart; else t1 holds rows of t2
--         $ladder_rows          bigint   number of rows
-- source  tabulation.md section 7.4
select
    t1.REGION_TYPE,
    t1.REGION_ID,
    t1.ITERATION_CODE,
    cast($ladder_rows as integer) as row_id,
    exported_index.STATISTIC,
    exported_index.TABLE_ROWS > 0 as IS_MARGINAL,
    {%- for column in counted %}
    t1.{{ column }} as COUNT,
    {%- endfor %}
    t1.VARIANCE,
    t1.MOE95,
    t1.LOW95,
    t1.HIGH95,
    {{ noisy_counts | of("t1") }}
from t1
inner join exported_index
    on
        t1.REGION_TYPE = exported_index.REGION_TYPE
        and t1.REGION_ID = exported_index.REGION_ID
        and t1.ITERATION_CODE = exported_index.ITERATION_CODE
where $has_totals
union all
select
    t2.REGION_TYPE,
    t2.REGION_ID,
    t2.ITERATION_CODE,
    ladder_rows.row_id,
    t2.STATISTIC,
    t2.IS_MARGINAL,
    {%- for column in counted %}
    t2.{{ column }} as COUNT,
    {%- endfor %}
    t2.VARIANCE,
    t2.MOE95,
    t2.LOW95,
    t2.HIGH95,
    {{ noisy_counts | of("t2") }}
from t2
inner join ladder_rows
    on
        true
        and {{ ladder_columns | equal("t2", "ladder_rows") }}
