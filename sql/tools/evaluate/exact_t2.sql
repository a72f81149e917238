-- exact_t2: the exact tables of a ladder that releases are compared with.
--
-- zone    confidential
-- kind    python
-- writes  one row per population group and row with people; of dense tables, people or not
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           COUNT           bigint   persons, exact
-- params  {{ ladder_columns }}  name of each published column
-- source  safetab_sql/evaluation/measured.py, from ground truth
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as ITERATION_CODE,
    {%- for column in ladder_columns %}
    cast(null as varchar) as {{ column | quoted }},
    {%- endfor %}
    cast(null as bigint) as COUNT
where false
