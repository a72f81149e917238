-- nested_part_counts: the noisy counts of some of the published groups.
--
-- zone    published
-- reads   nested_counts  one row per published group without a table, and one per cell of groups with a table
-- writes  one row per count of the groups asked for
--           group_id       bigint   key of nested_groups
--           cell_position  integer  key of statistic_cells within the stat level; 0 for a total alone
--           noisy_count    bigint   persons; may be negative
-- params  $first_group  bigint  first group asked for
--         $last_group   bigint  last group asked for
-- source  reconciliation.md sections 5 and 6
-- why     Counts of different iterations do not bind one another: few are reconciled at a time, to bound memory.
select
    nested_counts.group_id,
    nested_counts.cell_position,
    nested_counts.noisy_count
from nested_counts
where nested_counts.group_id between $first_group and $last_group
