-- iteration_rows: the rows of every list of characteristic iterations.
--
-- zone    public
-- reads   $iteration_lists  Parquet of each list
-- writes  one row per row of a list of iterations
--           iteration_code    varchar  characteristic iteration; of the 2020 Census, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   varchar  of the 2020 Census: 0 major, 1 regional, 2 detailed
--           iteration_kind    varchar  of a question of several columns: alone, or combination (alone or in any
--                             combination), after its name where it is not the only one; otherwise the name of the
--                             question, such as ethnicity
--           flags             map(varchar, boolean)  DETAILED_ONLY: tabulated at nation- and state-like regions only,
--                             total only; COARSE_ONLY: tabulated at sub-state regions only; or flags of your own, which
--                             region types name. NULL at level 0
-- params  {{ iteration_lists }}  files of each list, and the expressions that read its columns by their stored type
-- source  tabulation.md section 2.3
select
    cast(null as varchar) as iteration_code,
    cast(null as varchar) as iteration_name,
    cast(null as varchar) as iteration_level,
    cast(null as varchar) as iteration_kind,
    cast(null as map(varchar, boolean)) as flags
where false
{%- for list in iteration_lists %}
union all
select
    {{ list.iteration }} as iteration_code,
    {{ list.title }} as iteration_name,
    {{ list.level }} as iteration_level,
    {{ list.kind }} as iteration_kind,
    {{ list.flags }} as flags
from read_parquet({{ list.files }})
{%- endfor %}
