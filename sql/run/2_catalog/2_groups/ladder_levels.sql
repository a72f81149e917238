-- ladder_levels: the population group levels that each ladder tabulates.
--
-- zone    public
-- writes  one row per ladder and population group level
--           ladder_id         integer   1, 2, ... in the order of the parameters
--           level_id          integer   key of levels
--           total_only_flag   varchar   the flag of the iterations that get a total and nothing else; empty for none
--           is_by_totals      boolean   whether published totals pick the tables
--           thresholds        bigint[]  the total from which each table is picked, rising; none in margins
-- params  $ladder_ids             bigint[]   ladder of each row
--         $ladder_level_ids       bigint[]   level of each, in the same order
--         $ladder_total_only      varchar[]  the flag of each
--         $ladder_by_totals       boolean[]  whether published totals pick its tables
--         $ladder_thresholds      varchar[]  the thresholds of each, separated by commas
-- source  tabulation.md section 4.1
select
    unnest(cast($ladder_ids as integer[])) as ladder_id,
    unnest(cast($ladder_level_ids as integer[])) as level_id,
    unnest(cast($ladder_total_only as varchar[])) as total_only_flag,
    unnest(cast($ladder_by_totals as boolean[])) as is_by_totals,
    cast('[' || unnest(cast($ladder_thresholds as varchar[])) || ']' as bigint[]) as thresholds
