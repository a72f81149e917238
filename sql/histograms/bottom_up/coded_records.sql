-- coded_records: every record as its codes, with the hash by which the records of a person are kept.
--
-- zone    confidential
-- kind    view
-- reads   table_codes  one row per record
-- writes  one row per record
--           {{ record_keys }}  varchar  as in table_values
--           code_1       bigint    as in table_codes
--           code_2       bigint    likewise; and so on for each further domain
--           weight       bigint    likewise
--           record_hash  uhugeint  MD5 of the person and of all that is counted of the record
-- params  {{ record_keys }}      names of the columns that tell persons, and the order of the records of each
--         {{ coded_domains }}    of each domain: the name of its code
-- source  histograms.md section 1.4
-- why     The statements of a run that keep records of a person read this in place of its countable_records.
select
    {{ record_keys | of("table_codes") }},
    {%- for domain in coded_domains %}
    table_codes.{{ domain.name }},
    {%- endfor %}
    table_codes.weight,
    md5_number(
        concat_ws(
            chr(31),
            table_codes.person_key,
            {%- for domain in coded_domains %}
            table_codes.{{ domain.name }},
            {%- endfor %}
            table_codes.weight
        )
    ) as record_hash
from table_codes
