-- Exact T1 and T2 of the rows per person and iteration: one group by per region type.
create macro totals_of(of_type, region) as table
select of_type as region_type, region as region_id, iteration, count(*) as n
from people inner join person_iterations using (person)
where region is not null and iteration in (select iteration from tabulated where region_type = of_type) group by all;

create table t1 as
from totals_of('USA', usa) union all from totals_of('STATE', state) union all from totals_of('COUNTY', county)
union all from totals_of('TRACT', tract) union all from totals_of('PLACE', place)
union all from totals_of('AIANNH', aiannh) where 'AIANNH' in (select region_type from levels);

create table chosen as
select t1.*, bin_table_of(n, thresholds) as bin_table from t1 inner join tabulated using (region_type, iteration)
where n >= thresholds[1] and not is_detailed;

create macro cells_of(of_type, region) as table
select of_type as region_type, region as region_id, chosen.iteration, sex, first, count(*) as n
from people inner join person_iterations using (person)
inner join chosen on chosen.region_type = of_type and chosen.region_id = region
    and chosen.iteration = person_iterations.iteration
inner join bins on bins.bin_table = chosen.bin_table and age between first and last group by all;

create table t2 as
from cells_of('USA', usa) union all from cells_of('STATE', state) union all from cells_of('COUNTY', county)
union all from cells_of('TRACT', tract) union all from cells_of('PLACE', place) union all from cells_of('AIANNH', aiannh);
