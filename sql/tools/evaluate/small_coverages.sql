-- small_coverages: the exact chance that the margin of a small count covers it.
--
-- zone    public
-- kind    python
-- writes  one row per population group level, law, kind of count and small exact size
--           population_group_level  varchar  such as COUNTY-2
--           noise                   varchar  total only, or stage 2
--           is_total                boolean  true for a total, false for a cell
--           exact_count             bigint   persons, below free_total_from or free_cell_from
--           expected_coverage       double   chance that the error lies within moe95, if published
-- source  safetab_sql/evaluation/coverage.py, from the ledger
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as population_group_level,
    cast(null as varchar) as noise,
    cast(null as boolean) as is_total,
    cast(null as bigint) as exact_count,
    cast(null as double) as expected_coverage
where false
