-- clamped_weights: the records that count for less, or for more, than their weight says.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record whose weight is below 0 or above the maximum
--           record_file   varchar  file the record stands in
--           record_row    bigint   its row in that file, the first is 1
--           given_weight  bigint   its weight
-- params  $maximum_weight  bigint  the most that a record may count
-- source  histograms.md section 2.2
-- why     How many there are goes to the confidential log and nowhere else.
select
    table_values.record_file,
    table_values.record_row,
    table_values.given_weight
from table_values
where table_values.given_weight not between 0 and $maximum_weight
