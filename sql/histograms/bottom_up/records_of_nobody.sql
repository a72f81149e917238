-- records_of_nobody: the records that do not say whose they are.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record without a person
--           record_file  varchar  file that holds the record
--           record_row   bigint   its row number in that file, from 1
-- source  histograms.md section 1.4
-- why     The custodian is shown some of these records. The statement runs only if the specification names the person.
select
    table_values.record_file,
    table_values.record_row
from table_values
where table_values.person_key is null
