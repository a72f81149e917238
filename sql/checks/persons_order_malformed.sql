-- persons_order_malformed: records ordered by a date whose year is not first, such as 31/12/2024, as text.
--
-- zone    confidential
-- each    kept_columns
-- reads   person_records  one row per person
-- where   {persons} [{column}]
-- problem {n} record(s) with a date whose year is not first: as text, such dates have another order than as dates
-- fix     write them as 2024-12-31, or store them as dates, where unit.keep has an order
-- params  {{ kept_name }}  what the records call the column
-- source  tabulation.md section 4.4
select
    person_records.person_file,
    person_records.person_row
from person_records
where
    regexp_full_match(
        regexp_replace(as_text(person_records.{{ kept_name | quoted }}), '(^|[^0-9])0+', '\1', 'g'),
        '(?i)[0-9]{1,2}/[0-9]{1,2}/[0-9]{1,2}|([0-9]{1,2}[./-][0-9]{1,2}[./-]|[0-9]{1,2}[/-]|([0-9]{1,2}[ .-]*)?'
        || '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .,-]*([0-9]{1,2}, ?)?)(19|20)[0-9]{2}([^0-9].*)?'
    )
