-- people_left_out: how much of a slice cannot be counted as it is.
--
-- zone    confidential
-- kind    slices
-- reads   persons  one row per person of the universe
-- writes  one row per slice
--           records  bigint  people without a geo unit or an answer, or with no code between others
-- params  {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ answer_gaps }}        the places of each code of such a question, and of the code before it
--         {{ single_codes }}       the column of each question of one column
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
    or not has_code(persons.{{ question.first }})
    {%- endfor %}
    {%- for gap in answer_gaps %}
    or (has_code(persons.{{ gap.code }}) and not has_code(persons.{{ gap.before }}))
    {%- endfor %}
    or 0 in ({{ single_codes | of("persons") }})
