-- measured_rows: the published rows that have noise of their own, by the tables that are measured.
--
-- zone    public
-- kind    python
-- writes  one row per population group level, kind of group, stat level and measured row
--           population_group_level  varchar  such as COUNTY-2
--           is_total_only           boolean  whether its groups could get a total and nothing else
--           stat_level              tinyint  statistic selected: 0 total, 1 the coarsest table, ...
--           row_id                  integer  key of ladder_rows; -1 for the total of a group
--           statistic               varchar  total only, total, age4, or such as TOTAL of age4
--           noise                   varchar  key of noise_laws
--           law_id                  integer  key of noise_laws
--           shared                  double   how many counts, itself included, this one shares its noise with
-- source  safetab_sql/evaluation/coverage.py, from parameters and ledger
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as population_group_level,
    cast(null as boolean) as is_total_only,
    cast(null as tinyint) as stat_level,
    cast(null as integer) as row_id,
    cast(null as varchar) as statistic,
    cast(null as varchar) as noise,
    cast(null as integer) as law_id,
    cast(null as double) as shared
where false
