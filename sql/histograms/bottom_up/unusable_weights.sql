-- unusable_weights: the records whose weight is missing or no whole number.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record without a usable weight
--           record_file  varchar  file the record stands in
--           record_row   bigint   its row in that file, the first is 1
-- source  histograms.md section 2.2
-- why     For the custodian, who is shown some of them.
select
    table_values.record_file,
    table_values.record_row
from table_values
where table_values.given_weight is null
