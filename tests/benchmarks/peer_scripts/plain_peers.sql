-- What OpenDP and Tumult read: people, their memberships of detailed iterations, and all keys.
create table peer_people as
select county, array_to_string(codes, ' ') as codes, ethnicity, person from people;

create table peer_counties as
select distinct TABBLKST || TABBLKCOU as county from read_parquet(getvariable('geography'));

create table peer_iterations as
select iteration, iteration_code from tabulated inner join iterations using (iteration)
where region_type = 'COUNTY' and level = 2;

create table peer_codes as
select code, is_alone, is_ethnicity, iteration_code from code_iterations inner join peer_iterations using (iteration);

create table peer_memberships as
select county, iteration_code from peer_people inner join person_iterations using (person)
inner join peer_iterations using (iteration);
