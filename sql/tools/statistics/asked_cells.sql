-- asked_cells: the cells that hold the wanted values of attributes, in each table that a group may have.
--
-- zone    public
-- kind    python
-- writes  one row per condition on attributes, stat level and cell with a wanted value
--           condition_number  bigint    0, 1, ...
--           stat_level        tinyint   0 a total alone, 1 the coarsest table, ...
--           cell_position     integer   0, 1, ... within the stat level, first attribute slowest
--           is_whole          boolean   whether the cells of this stat level hold the wanted values and no others
--           bin_start         integer   of a quantile: smallest value of its attribute in the cell; else NULL
--           bin_end           integer   largest value in the cell; NULL where bin_start is
-- source  safetab_sql/statistics/wanted.py, from the parameters and what an analyst wrote
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
--         A cell that is wanted in part is here too, so that such a wish is noticed.
select
    cast(null as bigint) as condition_number,
    cast(null as tinyint) as stat_level,
    cast(null as integer) as cell_position,
    cast(null as boolean) as is_whole,
    cast(null as integer) as bin_start,
    cast(null as integer) as bin_end
where false
