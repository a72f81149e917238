-- reconciled_counts: the reconciled estimates and their uncertainty.
--
-- zone    noisy
-- kind    python
-- writes  one row per reconciled row of t1 or t2
--           group_id       bigint   key of nested_groups
--           cell_position  integer  key of statistic_cells; -1 the total, -2 and -3 the sum of each sex
--           estimate       double   persons; may be negative
--           variance       double   of the estimate, persons squared
--           moe95          double   half-width of the 95 % margin of error, persons
-- source  safetab_sql/reconciliation/tables.py, by least squares
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as bigint) as group_id,
    cast(null as integer) as cell_position,
    cast(null as double) as estimate,
    cast(null as double) as variance,
    cast(null as double) as moe95
where false
