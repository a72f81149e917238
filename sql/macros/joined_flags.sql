-- joined_flags: the flags of two iterations: true where one of the two is.
--
-- zone    public
-- kind    macro
-- gives   map(varchar, boolean)
-- params  one    map(varchar, boolean)  flags of an iteration: see iteration_rows
--         other  map(varchar, boolean)  flags of another
-- source  tabulation.md section 4.5
create or replace temporary macro joined_flags(one, other) as
map_from_entries(
    list_transform(
        list_distinct(list_concat(map_keys(one), map_keys(other))),
        lambda flag: { 'key': flag, 'value': coalesce(one[flag], false) or coalesce(other[flag], false) }
    )
)
