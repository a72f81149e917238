-- iteration_nesting: the iterations that are a part of another one.
--
-- zone    public
-- kind    python
-- writes  one row per iteration that is a part of another
--           iteration_code  varchar  characteristic iteration, 4 digits
--           parent_code     varchar  the iteration that it is a part of
--           root_code       varchar  the largest iteration that it is a part of, by way of others; of a root, itself
--           levels_above           bigint   how many iterations lie above it
--           parts           bigint   how many iterations make it up; 0 for none that are known
-- source  reconciliation.md section 3
-- why     Python takes nested_iterations apart, so that each iteration has one parent. The roots have rows too.
select
    cast(null as varchar) as iteration_code,
    cast(null as varchar) as parent_code,
    cast(null as varchar) as root_code,
    cast(null as bigint) as levels_above,
    cast(null as bigint) as parts
where false
