-- labelled_t2: the published tables of a ladder with names of codes; to add up rows, keep IS_MARGINAL = FALSE.
--
-- zone    published
-- kind    view
-- reads   t2              one row per population group and cell of its table, and one per group and published sum
--         ladder_rows     one row per combination of published codes
--         exported_index  one row per population group with a published count
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ number_columns }}  integer  the first and the last number, such as AGE_START and AGE_END; NULL for all
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group in this table
--           {{ counted }}  bigint  {records}, noisy; may be negative; in a ladder of sums it is called SUM
--           VARIANCE        double   of the noise in {counted}, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, {records}; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
--           {{ noisy_counts }}  bigint  of a reconciled row, {records} as released
--           REGION_NAME     varchar  name of the region; NULL where nothing public gives one
--           ITERATION_NAME  varchar  name of the iteration
--           {{ label_columns }}  varchar  the name of the code of each column that has names, such as SEX_NAME
-- params  {{ ladder_columns }}  name of each published column
--         {{ number_columns }}  name of each column of numbers
--         {{ counted }}         the name of what is counted
--         {{ noisy_counts }}    NOISY_COUNT where the table has it
--         {{ label_columns }}   name of each column of names, and the column that it is of
--         {{ label_codes }}     likewise the codes
--         {{ label_meanings }}  likewise what each means, in the same order
-- source  tabulation.md section 7.4
-- why     In a folder that `reconcile` made, COUNT is a double.
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.STATISTIC,
    {{ ladder_columns | of("t2") }},
    {{ number_columns | of("t2") }},
    t2.IS_MARGINAL,
    {{ counted | of("t2") }},
    t2.VARIANCE,
    t2.MOE95,
    t2.LOW95,
    t2.HIGH95,
    {{ noisy_counts | of("t2") }},
    exported_index.REGION_NAME,
    exported_index.ITERATION_NAME
    {%- for column in label_columns %},
    list_extract(
        {{ label_meanings[column] | literal }},
        list_position({{ label_codes[column] | literal }}, t2.{{ label_columns[column] | quoted }})
    ) as {{ column | quoted }}
    {%- endfor %}
from t2
inner join ladder_rows
    on
        true
        and {{ ladder_columns | equal("t2", "ladder_rows") }}
inner join exported_index
    on
        t2.REGION_TYPE = exported_index.REGION_TYPE
        and t2.REGION_ID = exported_index.REGION_ID
        and t2.ITERATION_CODE = exported_index.ITERATION_CODE
order by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE, ladder_rows.row_id
