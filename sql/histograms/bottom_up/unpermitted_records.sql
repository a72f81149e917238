-- unpermitted_records: the records with a value outside one domain, with that value.
--
-- zone    confidential
-- reads   table_values  one row per record
--         domain_codes  one row per listed value of a domain
-- writes  one row per record with a value outside the domain
--           record_file              varchar  file that holds the record
--           record_row               bigint   its row number in that file, from 1
--           {{ examined_columns }}   varchar  the columns of the domain, under their own names
-- params  {{ examined_columns }}  name in the data, and name in table_values, of each column of the domain
--         {{ examined_domain }}   its id, the expression of its key, and the codes that a value may have in it
-- source  histograms.md section 1
-- why     The custodian is shown some of these records.
select
    table_values.record_file,
    table_values.record_row
    {%- for column in examined_columns %},
    table_values.{{ column.value }} as "{{ column.name }}"
    {%- endfor %}
from table_values
left join domain_codes
    on
        domain_codes.domain_id = {{ examined_domain.domain_id }}
        and {{ examined_domain.key }} = domain_codes.value_key
where coalesce({{ examined_domain.candidates }}) is null
