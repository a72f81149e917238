-- total_only_iterations: the iterations that the parameters of a level name to get a total and no table.
--
-- zone    public
-- writes  one row per named iteration of a level, or one for all of them
--           ladder_id       integer  key of ladder_levels
--           level_id        integer  key of levels
--           iteration_code  varchar  characteristic iteration; empty text for every iteration of the level
-- params  $total_only_ladder_ids  bigint[]   ladder of each row
--         $total_only_level_ids   bigint[]   level of each
--         $total_only_iterations  varchar[]  iteration of each, in the same order
-- source  tabulation.md section 4.1; paper Algorithm 2, line 7
select
    unnest(cast($total_only_ladder_ids as integer[])) as ladder_id,
    unnest(cast($total_only_level_ids as integer[])) as level_id,
    unnest(cast($total_only_iterations as varchar[])) as iteration_code
