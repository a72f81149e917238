-- export_codes: what the codes of an exported release are called.
--
-- zone    public
-- kind    python
-- writes  one row per column with codes, and code that has a name
--           column_name  varchar  such as ITERATION_CODE or SEX
--           region_type  varchar  of a region; else empty
--           code         varchar  as the tables of the release have it
--           meaning      varchar  its name
-- source  safetab_sql/export/contents.py, from the code lists of the release and from files of names
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as column_name,
    cast(null as varchar) as region_type,
    cast(null as varchar) as code,
    cast(null as varchar) as meaning
where false
