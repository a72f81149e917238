-- reconciled_counts: the reconciled estimates and their uncertainty.
--
-- zone    noisy
-- kind    python
-- writes  one row per reconciled row of t1 or t2
--           group_id  bigint   key of nested_groups
--           row_id    integer  key of ladder_rows; -1 for a total that stands in t1
--           estimate  double   persons; may be negative
--           variance  double   of the estimate, persons squared
--           moe95     double   half-width of the 95 % margin of error, persons
--           low95     bigint   lower end of the 95 % interval of the true count, persons
--           high95    bigint   upper end of that interval, persons
-- source  safetab_sql/reconciliation/tables.py, by least squares
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as bigint) as group_id,
    cast(null as integer) as row_id,
    cast(null as double) as estimate,
    cast(null as double) as variance,
    cast(null as double) as moe95,
    cast(null as bigint) as low95,
    cast(null as bigint) as high95
where false
