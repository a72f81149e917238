-- What both plain scripts begin with: iterations, their codes, who tabulates them, and bins of ages.
create table iterations as
with listed as (
    select * from read_csv(getvariable('lists') || '/race-ch*.txt', delim = '|', header = true, all_varchar = true)
    union all by name
    select * from read_csv(getvariable('lists') || '/ethnicity-ch*.txt', delim = '|', header = true, all_varchar = true)
)
select
    row_number() over (order by ITERATION_CODE)::usmallint as iteration, ITERATION_CODE as iteration_code,
    LEVEL::tinyint as level, ALONE is null as is_ethnicity, coalesce(ALONE = 'True', false) as is_alone,
    coalesce(DETAILED_ONLY = 'True', false) as is_detailed, coalesce(COARSE_ONLY = 'True', false) as is_coarse
from listed where LEVEL in ('1', '2');

create table code_iterations as
select distinct iteration, level, is_ethnicity, is_alone, RACE_ETH_CODE as code
from read_csv(getvariable('lists') || '/race-and-ethnicity-code-to-iteration.txt', delim = '|', header = true, all_varchar = true)
inner join iterations using (ITERATION_CODE);

create table tabulated as
select region_type, iteration, is_detailed, thresholds from iterations inner join levels using (level)
where not if(region_type in ('USA', 'STATE'), is_coarse, is_detailed);

create table bins as
select bin_table, start as first, lead(start, 1, 116) over (partition by bin_table order by start) - 1 as last
from (values
    (1, [0, 18, 45, 65]), (2, [0, 5, 18, 25, 35, 45, 55, 65, 75]),
    (3, [0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85])
) as tables (bin_table, starts), unnest(starts) as one (start);

create macro bin_table_of(n, thresholds) as list_sum(list_transform(thresholds, lambda least: (n >= least)::integer));
