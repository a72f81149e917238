-- people_left_out: how much of a slice cannot be counted as it is.
--
-- zone    confidential
-- kind    slices
-- reads   persons  one row per person of the universe
-- writes  one row per slice
--           records  bigint  people without a geo unit or an answer, or with no code between others
-- params  {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ answer_gaps }}       the places of each code of such a question, and of the code before it
--         {{ single_questions }}  name of the column of each question of one column
-- seconds 7
-- source  tabulation.md section 2.1
-- why     One look at the small numbers of persons stands for the detailed checks of kind `screened`, which read the
--         person files again and find what is wrong, record by record: they run only where this number is not 0.
--         It is not 0 either where the files hold people of parts that are not run, which is no fault.
select count(*) as records
from persons
where
    persons.geo_unit_id is null
    {%- for question in several_questions %}
    or not has_code(persons.{{ question.first_column }}, {{ question.first_place }})
    {%- endfor %}
    {%- for gap in answer_gaps %}
    or (
        has_code(persons.{{ gap.column }}, {{ gap.place }})
        and not has_code(persons.{{ gap.before_column }}, {{ gap.before_place }})
    )
    {%- endfor %}
    {%- for question in single_questions %}
    or persons.{{ question.code_column }} = 0
    {%- endfor %}
