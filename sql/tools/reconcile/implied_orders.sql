-- implied_orders: pairs of iterations of which one holds all people of the other, as the code lists prove.
--
-- zone    public
-- reads   iterations       one row per characteristic iteration of level 1 or 2
--         code_iterations  one row per code and iteration of level 1 or 2
--         iteration_kinds  one row per kind of iterations
-- writes  one row per iteration and another iteration that holds all its people
--           narrow_code   varchar  characteristic iteration, 4 digits
--           narrow_level  varchar  its iteration level
--           narrow_kind   varchar  alone, combination or ethnicity
--           wide_code     varchar  characteristic iteration that holds the same people and perhaps others, 4 digits
--           wide_level    varchar  its iteration level
--           wide_kind     varchar  alone, combination or ethnicity
-- source  tabulation.md section 4
-- why     Let the codes of a narrow iteration be among the codes of a wide one. A person whose codes are all in the
--         narrow one has all codes, and so also some code, in the wide one; a person with some code in the narrow one
--         has some code in the wide one. The reverse does not hold: a person of two detailed groups is alone in
--         neither, so sums of alone iterations prove no equality.
with sized_iterations as (
    -- one row per characteristic iteration with codes
    select
        code_iterations.iteration_id,
        count(*) as codes
    from code_iterations
    group by code_iterations.iteration_id
),

shared_codes as (
    -- one row per pair of iterations that share codes
    select
        narrow_codes.iteration_id as narrow_id,
        wide_codes.iteration_id as wide_id,
        count(*) as codes
    from code_iterations as narrow_codes
    inner join code_iterations as wide_codes on narrow_codes.code = wide_codes.code
    where narrow_codes.iteration_id <> wide_codes.iteration_id
    group by narrow_codes.iteration_id, wide_codes.iteration_id
)

select
    narrow_iterations.iteration_code as narrow_code,
    narrow_iterations.iteration_level as narrow_level,
    narrow_iterations.iteration_kind as narrow_kind,
    wide_iterations.iteration_code as wide_code,
    wide_iterations.iteration_level as wide_level,
    wide_iterations.iteration_kind as wide_kind
from shared_codes
inner join sized_iterations
    on shared_codes.narrow_id = sized_iterations.iteration_id and shared_codes.codes = sized_iterations.codes
inner join iterations as narrow_iterations on shared_codes.narrow_id = narrow_iterations.iteration_id
inner join iterations as wide_iterations on shared_codes.wide_id = wide_iterations.iteration_id
inner join iteration_kinds as narrow_kinds on narrow_iterations.iteration_kind = narrow_kinds.iteration_kind
inner join iteration_kinds as wide_kinds on wide_iterations.iteration_kind = wide_kinds.iteration_kind
where
    narrow_kinds.question_name = wide_kinds.question_name
    and (narrow_kinds.is_alone or not wide_kinds.is_alone)
