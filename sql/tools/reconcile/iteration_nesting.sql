-- iteration_nesting: the iterations that are a part of another one, or have parts.
--
-- zone    public
-- reads   nested_iterations  one row per iteration, and iteration of another level that it is a part of
-- writes  one row per iteration that is a part of another, or has parts
--           iteration_code  varchar  characteristic iteration, 4 digits
--           parent_code     varchar  the iteration that it is a part of; NULL for a root
--           root_code       varchar  the largest iteration that it is a part of, by way of others; of a root, itself
--           levels_above    bigint   how many iterations lie above it
--           parts           bigint   how many iterations make it up; 0 for none that are known
-- source  reconciliation.md section 3
-- why     A whole that two levels split is made up of the fewer parts. A part of several wholes belongs to the one with
--         the fewest codes, and of these to the one with the fewest parts.
with recursive wholes as (
    -- one row per iteration that has parts
    select
        nested_iterations.parent_code as iteration_code,
        min(nested_iterations.parts) as parts
    from nested_iterations
    group by nested_iterations.parent_code
),

parents as (
    -- one row per iteration that is a part of another
    select
        nested_iterations.iteration_code,
        arg_min(
            nested_iterations.parent_code,
            row(nested_iterations.codes, nested_iterations.parts, nested_iterations.parent_code)
        ) as parent_code
    from nested_iterations
    inner join wholes
        on nested_iterations.parent_code = wholes.iteration_code and nested_iterations.parts = wholes.parts
    group by nested_iterations.iteration_code
),

placed as (
    -- one row per iteration: roots, then their parts, then the parts of these
    select
        wholes.iteration_code,
        cast(null as varchar) as parent_code,
        wholes.iteration_code as root_code,
        cast(0 as bigint) as levels_above
    from wholes
    left join parents on wholes.iteration_code = parents.iteration_code
    where parents.iteration_code is null
    union all
    select
        parents.iteration_code,
        parents.parent_code,
        placed.root_code,
        placed.levels_above + 1 as levels_above
    from placed
    inner join parents on placed.iteration_code = parents.parent_code
)

select
    placed.iteration_code,
    placed.parent_code,
    placed.root_code,
    placed.levels_above,
    cast(coalesce(wholes.parts, 0) as bigint) as parts
from placed
left join wholes on placed.iteration_code = wholes.iteration_code
