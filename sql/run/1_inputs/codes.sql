-- codes: the codes that records may hold, such as the detailed race and ethnicity codes of the 2020 Census.
--
-- zone    public
-- reads   $code_lists  Parquet of each list
-- writes  one row per row of the code list, and value of a question
--           question_name  varchar  the question whose values these are; empty for the list that questions share
--           code           varchar  a code of a question; in the 2020 Census 4 digits
--           code_name      varchar  what the code stands for
-- params  {{ code_lists }}  files of each list, and the expressions that read its columns by their stored type
-- source  tabulation.md section 2.3
select
    cast(null as varchar) as question_name,
    cast(null as varchar) as code,
    cast(null as varchar) as code_name
where false
{%- for list in code_lists %}
union all
select
    {{ list.of }} as question_name,
    {{ list.code }} as code,
    {{ list.title }} as code_name
from read_parquet({{ list.files }})
{%- endfor %}
