-- The same after an hour of tuning: numbers for texts, geo units, one count by geo unit, tally and cell, regions added up.
-- A tally is a single race code, 10000 and an ethnicity code, or 20000 and an iteration of somebody with several codes.
create table blocks as
select
    (TABBLKST || TABBLKCOU || TABTRACTCE)::bigint as tract, TABBLK::integer as block,
    PLACEFP::integer as place, AIANNHCE::integer as aiannh
from read_parquet(getvariable('geography'));

create table geo_units as
select row_number() over ()::integer as geo_unit, * from (select distinct tract, place, aiannh from blocks);

create table block_units as
select tract * 10000 + block as block, geo_unit from blocks inner join geo_units using (tract, place, aiannh);

create table slots as
select
    code::usmallint as code,
    max(iteration) filter (level = 1 and not is_alone) as coarse, max(iteration) filter (level = 2 and not is_alone) as fine,
    max(iteration) filter (level = 1 and is_alone) as coarse_alone, max(iteration) filter (level = 2 and is_alone) as fine_alone
from code_iterations where not is_ethnicity group by code;

create table tally_iterations as
select code::integer as tally, iteration from code_iterations where not is_ethnicity
union all select 10000 + code::integer, iteration from code_iterations where is_ethnicity
union all select 20000 + iteration, iteration from iterations where not is_ethnicity;

create table cells as
select age, sex, ((sex - 1) * 23 + count(*))::utinyint as cell
from range(116) as ages (age) cross join range(1, 3) as sexes (sex) inner join bins on bin_table = 3 and first <= age group by age, sex;

create table people as
select
    geo_unit, cell, QRACE1::usmallint as c1, QRACE2::usmallint as c2, QRACE3::usmallint as c3, QRACE4::usmallint as c4,
    QRACE5::usmallint as c5, QRACE6::usmallint as c6, QRACE7::usmallint as c7, QRACE8::usmallint as c8,
    QSPAN::usmallint as ethnicity
from read_parquet(getvariable('persons'))
inner join block_units on block = (TABBLKST || TABBLKCOU || TABTRACTCE || TABBLK)::bigint
inner join cells on age = QAGE and sex = QSEX::integer;

create macro alike(code, one, other) as (code is null or one = other);

create table several_iterations as
select geo_unit, cell, unnest(list_distinct([
    s1.coarse, s2.coarse, s3.coarse, s4.coarse, s5.coarse, s6.coarse, s7.coarse, s8.coarse,
    s1.fine, s2.fine, s3.fine, s4.fine, s5.fine, s6.fine, s7.fine, s8.fine,
    if(s1.coarse_alone = s2.coarse_alone and alike(c3, s1.coarse_alone, s3.coarse_alone)
        and alike(c4, s1.coarse_alone, s4.coarse_alone) and alike(c5, s1.coarse_alone, s5.coarse_alone)
        and alike(c6, s1.coarse_alone, s6.coarse_alone) and alike(c7, s1.coarse_alone, s7.coarse_alone)
        and alike(c8, s1.coarse_alone, s8.coarse_alone), s1.coarse_alone, null),
    if(s1.fine_alone = s2.fine_alone and alike(c3, s1.fine_alone, s3.fine_alone)
        and alike(c4, s1.fine_alone, s4.fine_alone) and alike(c5, s1.fine_alone, s5.fine_alone)
        and alike(c6, s1.fine_alone, s6.fine_alone) and alike(c7, s1.fine_alone, s7.fine_alone)
        and alike(c8, s1.fine_alone, s8.fine_alone), s1.fine_alone, null)
])) as iteration
from people
inner join slots as s1 on s1.code = c1 inner join slots as s2 on s2.code = c2
left join slots as s3 on s3.code = c3 left join slots as s4 on s4.code = c4 left join slots as s5 on s5.code = c5
left join slots as s6 on s6.code = c6 left join slots as s7 on s7.code = c7 left join slots as s8 on s8.code = c8;

create table tallies as
select geo_unit, tally, cell, count(*)::integer as n from (
    select geo_unit, c1::integer as tally, cell from people where c2 is null
    union all select geo_unit, 10000 + ethnicity, cell from people
    union all select geo_unit, 20000 + iteration, cell from several_iterations where iteration is not null
) group by all;

create table unit_iterations as
select geo_unit, tract, place, aiannh, iteration, sum(n) as n
from (select geo_unit, tally, sum(n) as n from tallies group by all)
inner join tally_iterations using (tally) inner join geo_units using (geo_unit) group by all;

create table tract_iterations as select tract, iteration, sum(n) as n from unit_iterations group by all;

create table county_iterations as select tract // 1000000 as county, iteration, sum(n) as n from tract_iterations group by all;

create table regions as
select 'TRACT' as region_type, tract as region, iteration, n from tract_iterations
union all from (select 'COUNTY', county, iteration, n from county_iterations)
union all from (select 'STATE', county // 1000, iteration, sum(n) from county_iterations group by all)
union all from (select 'USA', 1, iteration, sum(n) from county_iterations group by all)
union all from (select 'AIANNH', aiannh, iteration, sum(n) from unit_iterations where aiannh <> 9999 group by all)
union all from (select 'PLACE', tract // 1000000000 * 100000 + place, iteration, sum(n) from unit_iterations where place <> 99999 group by all);

create macro id_of(region_type, region) as
lpad(region::varchar, map {'USA': 1, 'STATE': 2, 'COUNTY': 5, 'TRACT': 11, 'PLACE': 7, 'AIANNH': 4}[region_type], '0');

create table t1 as
select region_type, id_of(region_type, region) as region_id, iteration, n from regions
semi join tabulated using (region_type, iteration);

create table chosen as
select regions.*, bin_table_of(n, thresholds) as bin_table from regions inner join tabulated using (region_type, iteration)
where n >= thresholds[1] and not is_detailed;

create table region_units as
select 'USA' as region_type, 1 as region, geo_unit from geo_units
union all select 'STATE', tract // 1000000000, geo_unit from geo_units
union all select 'COUNTY', tract // 1000000, geo_unit from geo_units
union all select 'TRACT', tract, geo_unit from geo_units
union all select 'PLACE', tract // 1000000000 * 100000 + place, geo_unit from geo_units where place <> 99999
union all select 'AIANNH', aiannh, geo_unit from geo_units where aiannh <> 9999;

create table chosen_cells as
select region_type, region, chosen.iteration, bin_table, cell, sum(tallies.n) as n
from chosen inner join region_units using (region_type, region)
inner join tally_iterations using (iteration) inner join tallies using (geo_unit, tally) group by all;

create table cell_bins as
select distinct cell, sex::varchar as sex, bin_table, first from cells inner join bins on age between first and last;

create table t2 as
select region_type, id_of(region_type, region) as region_id, iteration, sex, first, sum(n) as n
from chosen_cells inner join cell_bins using (bin_table, cell) group by all;
