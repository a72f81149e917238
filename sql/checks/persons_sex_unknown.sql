-- persons_sex_unknown: people whose sex is neither of the two codes.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [{sex}]
-- problem {n} record(s) with a sex that is neither {sexes}
-- fix     code male as 1 and female as 2, or say what other values mean: [attributes] SEX
-- leave   sex
-- params  $sex_column  varchar  the column of sex in the person files
-- seconds 4
-- source  tabulation.md section 2.1
-- why     Each distinct value is looked at once, and only records that hold an unknown one are read again.
with counted_sexes as (
    -- one row per distinct value
    select
        person_records.QSEX as sex,
        count(*) as records
    from person_records
    group by person_records.QSEX
),

unknown_sexes as (
    -- one row per value that is unknown
    select counted_sexes.sex
    from counted_sexes
    where counted_sexes.sex is null or counted_sexes.sex not in ('1', '2')
)

select
    person_records.person_file,
    person_records.person_row,
    $sex_column as column_name,
    person_records.QSEX_GIVEN as given_sex
from person_records
semi join unknown_sexes on person_records.QSEX is not distinct from unknown_sexes.sex
