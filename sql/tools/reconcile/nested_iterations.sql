-- nested_iterations: iterations that other iterations make up, as the code lists prove.
--
-- zone    public
-- reads   iterations       one row per characteristic iteration of level 1 or 2
--         code_iterations  one row per code and iteration of level 1 or 2
--         iteration_kinds  one row per kind of iterations
-- writes  one row per iteration, and iteration of another level that it is a part of
--           iteration_code  varchar  characteristic iteration, 4 digits
--           parent_code     varchar  the iteration that holds its people
--           parts           bigint   how many iterations of its level make up that one
--           codes           bigint   codes of the parent
-- source  reconciliation.md section 3
-- why     A person gives one code to a question of one column. Where the codes of an iteration are split among
--         iterations of another level, each in one of them, its people are split too. Of a question of several columns
--         that is so only where both have the same codes: somebody with codes of two parts is alone in neither, and in
--         combination in both. Of two iterations with the same codes, the earlier level's iteration is the whole.
with sized_iterations as (
    -- one row per characteristic iteration with codes
    select
        iterations.iteration_id,
        iterations.iteration_code,
        iterations.iteration_kind,
        iterations.iteration_level,
        count(*) as codes
    from iterations
    inner join code_iterations on iterations.iteration_id = code_iterations.iteration_id
    group by
        iterations.iteration_id, iterations.iteration_code, iterations.iteration_kind, iterations.iteration_level
),

shared_codes as (
    -- one row per pair of iterations of one kind and two levels that share codes
    select
        parts.iteration_id,
        wholes.iteration_id as whole_id,
        count(*) as codes
    from code_iterations as parts
    inner join code_iterations as wholes
        on parts.code = wholes.code and parts.iteration_kind = wholes.iteration_kind
    where parts.iteration_id <> wholes.iteration_id
    group by parts.iteration_id, wholes.iteration_id
),

parts_of_wholes as (
    -- one row per iteration, and iteration of another level that has all its codes
    select
        parts.iteration_id,
        parts.iteration_code,
        parts.iteration_level,
        wholes.iteration_id as whole_id,
        wholes.iteration_code as parent_code,
        wholes.iteration_kind,
        parts.codes,
        wholes.codes as whole_codes
    from shared_codes
    inner join sized_iterations as parts
        on shared_codes.iteration_id = parts.iteration_id and shared_codes.codes = parts.codes
    inner join sized_iterations as wholes on shared_codes.whole_id = wholes.iteration_id
    where
        parts.iteration_level > wholes.iteration_level
        or (parts.iteration_level < wholes.iteration_level and parts.codes < wholes.codes)
),

distinct_codes as (
    -- one row per iteration and level of which iterations lie in it
    select
        parts_of_wholes.whole_id,
        parts_of_wholes.iteration_level,
        count(distinct code_iterations.code) as codes
    from parts_of_wholes
    inner join code_iterations on parts_of_wholes.iteration_id = code_iterations.iteration_id
    group by parts_of_wholes.whole_id, parts_of_wholes.iteration_level
),

counted_parts as (
    -- one row per iteration, and iteration of another level that has all its codes
    select
        parts_of_wholes.iteration_code,
        parts_of_wholes.iteration_level,
        parts_of_wholes.iteration_kind,
        parts_of_wholes.whole_id,
        parts_of_wholes.parent_code,
        parts_of_wholes.whole_codes,
        count(*) over wholes as parts,
        sum(parts_of_wholes.codes) over wholes as codes_of_parts
    from parts_of_wholes
    window wholes as (partition by parts_of_wholes.whole_id, parts_of_wholes.iteration_level)
)

select
    counted_parts.iteration_code,
    counted_parts.parent_code,
    counted_parts.parts,
    counted_parts.whole_codes as codes
from counted_parts
inner join iteration_kinds on counted_parts.iteration_kind = iteration_kinds.iteration_kind
inner join distinct_codes
    on
        counted_parts.whole_id = distinct_codes.whole_id
        and counted_parts.iteration_level = distinct_codes.iteration_level
where
    counted_parts.codes_of_parts = counted_parts.whole_codes
    and distinct_codes.codes = counted_parts.whole_codes
    and (counted_parts.parts = 1 or not iteration_kinds.is_of_several)
