-- code_iteration_rows: which codes belong to which characteristic iterations.
--
-- zone    public
-- reads   $member_lists  Parquet of the list of members, such as race-and-ethnicity-code-to-iteration; and of values
-- writes  one row per row of the code-to-iteration list, and value of a question
--           iteration_code  varchar  characteristic iteration, 4 digits
--           code            varchar  race or ethnicity code, 4 digits
-- params  {{ member_lists }}  files of each list, and the expressions that read its columns by their stored type
-- source  tabulation.md section 2.3
select
    cast(null as varchar) as iteration_code,
    cast(null as varchar) as code
where false
{%- for list in member_lists %}
union all
select
    {{ list.iteration }} as iteration_code,
    {{ list.code }} as code
from read_parquet({{ list.files }})
{%- endfor %}
