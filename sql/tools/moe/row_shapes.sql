-- row_shapes: the rows that a population group can have: a total, and the rows of all tables of the release.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per table and row that it may have
--           TABLE      varchar  the ladder, such as T2, or its folder of totals, such as T1
--           STATISTIC  varchar  the table that the group got
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ other_columns }}   varchar  NULL: columns of other ladders alone
-- params  {{ ladder_columns }}  name of each published column of the ladder
--         {{ other_columns }}   name of each that other ladders alone have
--         $table_name           varchar  name of the ladder
--         $totals_name          varchar  name of its folder of totals
--         $has_totals           boolean  whether it has one
-- source  tabulation.md section 7
select distinct
    $table_name as "TABLE",
    t2.STATISTIC,
    {{ ladder_columns | of("t2") }}
    {%- for column in other_columns %},
    cast(null as varchar) as {{ column | quoted }}
    {%- endfor %}
from t2
union all
select
    $totals_name as "TABLE",
    null as STATISTIC
    {%- for column in ladder_columns %},
    null as {{ column | quoted }}
    {%- endfor %}
    {%- for column in other_columns %},
    null as {{ column | quoted }}
    {%- endfor %}
where $has_totals
