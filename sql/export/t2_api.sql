-- t2_api: the published sex-by-age tables of one statistic with the variables of the Census API.
--
-- zone    published
-- reads   api_groups  one row per population group with a published count
--         t2          one row per population group and cell of its table, and one per group and published sum
-- writes  one row per population group with a table of the statistic
--           GEO_ID            varchar  region, e.g. 0500000US44007
--           NAME              varchar  name of the region; empty where no file gives names
--           POPGROUP          varchar  characteristic iteration, 4 digits
--           POPGROUP_LABEL    varchar  name of the iteration
--           {{ api_counts }}  bigint   T02001_001N, the total; then all men, men by age, all women, women by age
--           {{ api_margins }}  double   T02001_001M and so on: half-widths of their 95 % margins; empty likewise
-- params  $published_statistic  varchar  the statistic, such as age4
--         {{ api_counts }}      name of each count, and its place
--         {{ api_margins }}     likewise of margins
-- source  tabulation.md section 7 (--format api)
-- why     One file a table, as scripts ask for one table at a time. The total of a table is the T1 total.
with listed_tables as (
    -- one row per population group with a table of the statistic: men before women, all ages before each
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        list(t2.COUNT order by t2.SEX, try_cast(t2.AGESTART as integer) nulls first) as noisy_counts,
        list(t2.MOE95 order by t2.SEX, try_cast(t2.AGESTART as integer) nulls first) as moe95s
    from t2
    where t2.STATISTIC = $published_statistic
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
)

select
    api_groups.geo_id as GEO_ID,
    api_groups.region_name as "NAME",
    api_groups.iteration_code as POPGROUP,
    api_groups.iteration_name as POPGROUP_LABEL
    {%- for column in api_counts %},
    list_prepend(api_groups.noisy_count, listed_tables.noisy_counts)[{{ api_counts[column] }}] as {{ column | quoted }}
    {%- endfor %}
    {%- for column in api_margins %},
    list_prepend(api_groups.moe95, listed_tables.moe95s)[{{ api_margins[column] }}] as {{ column | quoted }}
    {%- endfor %}
from listed_tables
inner join api_groups
    on
        listed_tables.region_type = api_groups.region_type
        and listed_tables.region_id = api_groups.region_id
        and listed_tables.iteration_code = api_groups.iteration_code
order by api_groups.geo_id, api_groups.iteration_code
