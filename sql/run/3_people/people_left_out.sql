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
with records as (
    select count(*) as given from person_numbers
),

complete_persons as (
    select count(*) as persons
    from persons
    where
        true
        {%- for column in several_slots %}
        and has_code(persons.{{ column.name }}, 1)
        {%- endfor %}
        {%- for question in single_questions %}
        and persons.{{ question.name }} > 0
        {%- endfor %}
),

gaps as (
    -- one row: how many people have a code after an empty place
    select count(*) as persons
    from persons
    where
        (has_further_codes(persons.codes_1_to_4) or persons.codes_5_to_8 > 0)
        and (
            (not has_code(persons.codes_1_to_4, 2) and has_code(persons.codes_1_to_4, 3))
            or (not has_code(persons.codes_1_to_4, 3) and has_code(persons.codes_1_to_4, 4))
            or (not has_code(persons.codes_1_to_4, 4) and has_code(persons.codes_5_to_8, 1))
            or (not has_code(persons.codes_5_to_8, 1) and has_code(persons.codes_5_to_8, 2))
            or (not has_code(persons.codes_5_to_8, 2) and has_code(persons.codes_5_to_8, 3))
            or (not has_code(persons.codes_5_to_8, 3) and has_code(persons.codes_5_to_8, 4))
        )
)

select records.given - complete_persons.persons + gaps.persons as records
from records
cross join complete_persons
cross join gaps
