-- persons_place_contradicted: people whose place lies elsewhere, by a column that records share with the geography.
--
-- zone    confidential
-- each    shared_columns
-- reads   person_records  one row per person
--         geography_rows  one row per row of the geography files
-- where   {persons} [{column}]
-- problem {n} record(s) of another place than {geography} says, by a column of both files that place.key lacks
-- fix     add the column to place.key: without it, places of one number are taken for one. If the two files call
--         different things by one name, rename the column in one of them
-- whole   the columns that both files share are known where both can be read
-- params  {{ shared_name }}    name of the column
--         {{ record_key }}     the expression of the key of a record
--         {{ geography_key }}  the expression of the key of a place
--         $no_places  varchar[]  what means none in a column of a place
-- source  tabulation.md section 2.2
-- why     01, 1 and 1.0 are one, and spaces are nothing; a column that tells all places apart is no part of a key.
select
    person_records.person_file,
    person_records.person_row,
    person_records.{{ shared_name | quoted }}
from person_records
inner join geography_rows on {{ record_key }} = {{ geography_key }}
where
    not list_contains(cast($no_places as varchar[]), person_records.{{ shared_name | quoted }})
    and ltrim(code_from_text(trim(person_records.{{ shared_name | quoted }}), 0), '0')
    <> ltrim(code_from_text(trim(geography_rows.{{ shared_name | quoted }}), 0), '0')
    and (select count(distinct geography_rows.{{ shared_name | quoted }}) < count(*) from geography_rows)
