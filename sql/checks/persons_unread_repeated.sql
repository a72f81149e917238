-- persons_unread_repeated: values of several records, in a column that is called like the id of a person and not read.
--
-- zone    confidential
-- kind    screened warning
-- each    unread_ids
-- reads   person_universe  one row per record
-- where   {persons} [{column}]
-- problem nothing reads it, and {n} of its values stand in several records: are the rows people?
-- fix     if it says whose a record is, write person = "{column}" and most_records under [unit]; if not, go on
-- whole   the other record of a value may be in another part
-- params  {{ unread_name }}  name of the column
-- source  tabulation.md section 2.1
-- why     For validate alone. A value of many records, such as the number of a floor, is no id.
select
    person_universe.{{ unread_name | quoted }},
    count(*) as records
from person_universe
where person_universe.is_inside and person_universe.{{ unread_name | quoted }} <> ''
group by person_universe.{{ unread_name | quoted }}
qualify sum(count(*)) over () < 50 * count(*) over () and count(*) > 1
