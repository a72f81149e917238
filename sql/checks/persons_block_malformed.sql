-- persons_block_malformed: people whose block is not spelled as four codes of digits.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK]
-- problem {n} record(s) with a block that is missing or not 2, 3, 6 and 4 digits
-- fix     give each code in full, leading zeros included
-- params  {{ block_columns }}  name and number of digits of the four columns that name a block
-- seconds 4
-- source  tabulation.md section 2.1
-- why     Each distinct value is checked once, and only records that hold a malformed value are looked up: matching
--         every record against a pattern takes several times as long.
select
    null as person_file,
    null as person_row,
    null as TABBLKST,
    null as TABBLKCOU,
    null as TABTRACTCE,
    null as TABBLK
where false
{%- for column in block_columns %}
union
select
    person_records.person_file,
    person_records.person_row,
    person_records.TABBLKST,
    person_records.TABBLKCOU,
    person_records.TABTRACTCE,
    person_records.TABBLK
from person_records
semi join (
    -- one row per distinct value that is malformed
    select counted_values.code
    from (
        select
            person_records.{{ column.name }} as code,
            count(*) as records
        from person_records
        group by person_records.{{ column.name }}
    ) as counted_values
    where
        counted_values.code is null
        or not regexp_full_match(counted_values.code, '[0-9]{{ "{" }}{{ column.digits }}{{ "}" }}')
) as malformed_values
    on person_records.{{ column.name }} is not distinct from malformed_values.code
{%- endfor %}
