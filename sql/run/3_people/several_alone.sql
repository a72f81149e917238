-- several_alone: the alone iterations of the people of a slice of geo units who give several race codes.
--
-- zone    confidential
-- kind    slice
-- reads   persons          one row per person who lives in a block of the requested states
--         several_codes    one row per person with several race codes, and code
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per person with several race codes, and alone iteration
--           geo_unit_id      integer   key of geo_units
--           finest_position  utinyint  key of finest_cells: sex and age
--           iteration_id     integer   key of iterations
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 15
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     A person is in an alone iteration that holds all of the person's codes. Only an iteration that holds the
--         first two codes is looked at further: most pairs of codes share none.
with first_codes as (
    -- one row per person with several race codes
    select
        persons.rowid as person,
        persons.geo_unit_id,
        persons.finest_position,
        cast(persons.race_codes_1_to_4 // 1000000000000 as usmallint) as first_code,
        cast(persons.race_codes_1_to_4 // 100000000 % 10000 as usmallint) as second_code
    from persons
    where
        persons.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
        and persons.race_codes_1_to_4 % 1000000000000 > 0
),

candidates as (
    -- one row per person and alone iteration that holds the first two codes
    select
        first_codes.person,
        first_codes.geo_unit_id,
        first_codes.finest_position,
        of_first.iteration_id
    from first_codes
    inner join code_iterations as of_first on first_codes.first_code = of_first.code
    inner join code_iterations as of_second
        on
            first_codes.second_code = of_second.code
            and of_first.iteration_id = of_second.iteration_id
    where of_first.iteration_kind = 'alone'
),

held_codes as (
    -- one row per person, alone iteration that holds the first two codes, and code of the person
    select
        candidates.person,
        candidates.geo_unit_id,
        candidates.finest_position,
        candidates.iteration_id,
        code_iterations.code as held_code
    from candidates
    inner join several_codes on candidates.person = several_codes.person
    left join code_iterations
        on
            several_codes.code = code_iterations.code
            and candidates.iteration_id = code_iterations.iteration_id
)

select
    held_codes.geo_unit_id,
    held_codes.finest_position,
    held_codes.iteration_id
from held_codes
group by held_codes.person, held_codes.geo_unit_id, held_codes.finest_position, held_codes.iteration_id
having count(*) = count(held_codes.held_code)
