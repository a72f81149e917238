-- group_totals: how many people each population group of a range has.
--
-- zone    confidential
-- kind    range
-- reads   slice_totals  one row per population group, tally with people and slice of people
-- writes  one row per population group with people
--           population_group_id  bigint  first id of its region and level + iteration position
--           exact_count          bigint  persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
--         $first_population_group_id  bigint  first group of the range
--         $end_population_group_id    bigint  the group after the last one
-- seconds 4
-- source  paper Algorithm 1, lines 7-10
-- why     Read range by range: the totals of all groups may not fit into memory. Groups without people have no row here
--         and get 0 when noise is added: the rows of this table must never decide which rows are published.
select
    slice_totals.population_group_id,
    cast(sum(slice_totals.exact_count) as bigint) as exact_count,
    {{ amounts | summed("slice_totals") }}
from slice_totals
where
    slice_totals.population_group_id >= $first_population_group_id
    and slice_totals.population_group_id < $end_population_group_id
group by slice_totals.population_group_id
order by slice_totals.population_group_id
