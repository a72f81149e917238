-- asked_terms: the counts that wanted statistics are made of, of one ladder.
--
-- zone    public
-- kind    python
-- writes  one row per wanted statistic, count in it and group of the count
--           statistic_number  bigint   0, 1, ..., in the order of the wanted statistics
--           is_other          boolean  the count that is divided by, or subtracted
--           region_type       varchar  USA, STATE, COUNTY, ...
--           region_id         varchar  e.g. 44007 for a county
--           iteration_code    varchar  characteristic iteration, 4 digits
--           condition_number  bigint   key of asked_cells: which values of attributes are wanted
--           row_id            integer  the published row that has just these values: key of ladder_rows, or -1 for the
--                                      total; NULL where there is none
--           term_number       bigint   0, 1, ...
-- source  safetab_sql/statistics/wanted.py, from what an analyst wrote
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as bigint) as statistic_number,
    cast(null as boolean) as is_other,
    cast(null as varchar) as region_type,
    cast(null as varchar) as region_id,
    cast(null as varchar) as iteration_code,
    cast(null as bigint) as condition_number,
    cast(null as integer) as row_id,
    cast(null as bigint) as term_number
where false
