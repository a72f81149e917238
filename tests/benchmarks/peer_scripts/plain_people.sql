-- People with their regions, and a row per person and iteration: as one writes it in half an hour.
create table people as
select
    row_number() over () as person, QAGE as age, QSEX as sex, QSPAN as ethnicity, '1' as usa,
    TABBLKST as state, TABBLKST || TABBLKCOU as county, TABBLKST || TABBLKCOU || TABTRACTCE as tract,
    if(PLACEFP <> '99999', TABBLKST || PLACEFP, null) as place, nullif(AIANNHCE, '9999') as aiannh,
    list_filter([QRACE1, QRACE2, QRACE3, QRACE4, QRACE5, QRACE6, QRACE7, QRACE8], lambda code: code is not null) as codes
from read_parquet(getvariable('persons')) as persons
inner join read_parquet(getvariable('geography')) as blocks using (TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK);

create table person_iterations as
with answers as (select person, unnest(codes) as code, len(codes) as codes from people)
select distinct person, iteration from answers inner join code_iterations using (code)
where not is_alone and not is_ethnicity
union all
select person, iteration from answers inner join code_iterations using (code)
where is_alone group by person, iteration, codes having count(*) = codes
union all
select person, iteration from people inner join code_iterations on ethnicity = code where is_ethnicity;
