-- crossed_tallies: the pairs of tallies that each pair of iterations adds up.
--
-- zone    public
-- reads   crossed_iterations         one row per crossing and pair of iterations
--         iterations                 one row per characteristic iteration of level 1 or 2
--         listed_tallies             one row per iteration and tally
--         finely_counted_iterations  one row per iteration
-- writes  one row per pair of iterations, and tally of the first and of the second
--           iteration_id     integer  key of iterations: the pair
--           crossing_name    varchar  the crossing
--           first_tally_id   integer  a tally of the first iteration: key of listed_tallies
--           second_tally_id  integer  a tally of the second
--           tally_id         integer  a number for each crossing and two tallies, beyond the numbers of listed_tallies
-- source  tabulation.md section 4.5
-- why     Whoever is in a tally of one iteration and in a tally of the other is counted once in their pair. As with
--         the tallies of lists, a number is below 0 where nothing but totals of broad regions is wanted.
with paired_tallies as (
    -- one row per pair of iterations, and tally of the first and of the second
    select
        pairs.iteration_id,
        crossed_iterations.crossing_name,
        first_tallies.tally_id as first_tally_id,
        second_tallies.tally_id as second_tally_id,
        pairs.iteration_id in (
            select finely_counted_iterations.iteration_id from finely_counted_iterations
        ) as is_finely_counted
    from crossed_iterations
    inner join iterations as pairs on crossed_iterations.iteration_code = pairs.iteration_code
    inner join iterations as firsts on crossed_iterations.first_code = firsts.iteration_code
    inner join iterations as seconds on crossed_iterations.second_code = seconds.iteration_code
    inner join listed_tallies as first_tallies on firsts.iteration_id = first_tallies.iteration_id
    inner join listed_tallies as second_tallies on seconds.iteration_id = second_tallies.iteration_id
),

numbered_pairs as (
    -- one row per crossing and two tallies
    select
        paired_tallies.crossing_name,
        paired_tallies.first_tally_id,
        paired_tallies.second_tally_id,
        bool_or(paired_tallies.is_finely_counted) as is_finely_counted,
        row_number() over (
            order by paired_tallies.crossing_name, paired_tallies.first_tally_id, paired_tallies.second_tally_id
        ) + (select max(abs(listed_tallies.tally_id)) from listed_tallies) + 2 as pair_number
    from paired_tallies
    group by paired_tallies.crossing_name, paired_tallies.first_tally_id, paired_tallies.second_tally_id
)

select
    paired_tallies.iteration_id,
    paired_tallies.crossing_name,
    paired_tallies.first_tally_id,
    paired_tallies.second_tally_id,
    cast(
        case when numbered_pairs.is_finely_counted then 1 else -1 end * numbered_pairs.pair_number as integer
    ) as tally_id
from paired_tallies
inner join numbered_pairs
    on
        paired_tallies.crossing_name = numbered_pairs.crossing_name
        and paired_tallies.first_tally_id = numbered_pairs.first_tally_id
        and paired_tallies.second_tally_id = numbered_pairs.second_tally_id
