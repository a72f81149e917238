-- people_left_out: how many records cannot be counted as they are.
--
-- zone    confidential
-- reads   person_numbers  one row per person
--         persons         one row per person who lives in a block of the parts that are run
-- writes  one row per run
--           records  bigint  records that are not in persons, or whose answers are missing or leave a gap
-- params  {{ several_slots }}     the column of the first codes, if a question has several
--         {{ single_questions }}  name of the column of each question of one column
-- seconds 12
-- source  tabulation.md section 2.1
-- why     One look at the small numbers of persons stands for the detailed checks of kind `screened`, which read the
--         person files again and find what is wrong, record by record: they run only where this number is not 0. It is
--         not 0 either where the files hold people of parts that are not run, which is no fault.
with codes as (
    -- one row per person with several race codes
    select
        persons.race_codes_1_to_4 // 100000000 % 10000 as code_2,
        persons.race_codes_1_to_4 // 10000 % 10000 as code_3,
        persons.race_codes_1_to_4 % 10000 as code_4,
        persons.race_codes_5_to_8 // 1000000000000 as code_5,
        persons.race_codes_5_to_8 // 100000000 % 10000 as code_6,
        persons.race_codes_5_to_8 // 10000 % 10000 as code_7,
        persons.race_codes_5_to_8 % 10000 as code_8
    from persons
    where persons.race_codes_1_to_4 % 1000000000000 > 0 or persons.race_codes_5_to_8 > 0
),

records as (
    select count(*) as given from person_numbers
),

complete_persons as (
    select count(*) as persons
    from persons
    where
        true
        {%- for column in several_slots %}
        and persons.{{ column.name }} >= 1000000000000
        {%- endfor %}
        {%- for question in single_questions %}
        and persons.{{ question.name }} > 0
        {%- endfor %}
),

gaps as (
    -- one row: how many people have a race code after an empty place
    select count(*) as persons
    from codes
    where
        (codes.code_2 = 0 and codes.code_3 > 0)
        or (codes.code_3 = 0 and codes.code_4 > 0)
        or (codes.code_4 = 0 and codes.code_5 > 0)
        or (codes.code_5 = 0 and codes.code_6 > 0)
        or (codes.code_6 = 0 and codes.code_7 > 0)
        or (codes.code_7 = 0 and codes.code_8 > 0)
)

select records.given - complete_persons.persons + gaps.persons as records
from records
cross join complete_persons
cross join gaps
