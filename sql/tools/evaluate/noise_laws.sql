-- noise_laws: the laws of the published noise.
--
-- zone    public
-- kind    python
-- writes  one row per population group level and law of published noise
--           population_group_level  varchar  such as COUNTY-2
--           noise                   varchar  total only, or stage 2
--           moe95                   double   half-width of the 95 % margin of error, persons
--           deviation               double   standard deviation, persons
--           expected_coverage       double   chance that the noise lies within moe95
--           free_total_from         bigint   smallest total that neither suppression nor clipping touches, persons
--           free_cell_from          bigint   smallest cell that clipping does not touch, persons
-- source  safetab_sql/evaluation/coverage.py, from the ledger
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as population_group_level,
    cast(null as varchar) as noise,
    cast(null as double) as moe95,
    cast(null as double) as deviation,
    cast(null as double) as expected_coverage,
    cast(null as bigint) as free_total_from,
    cast(null as bigint) as free_cell_from
where false
