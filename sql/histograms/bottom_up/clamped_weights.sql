-- clamped_weights: the records that count for less, or for more, than their given weight.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record whose weight is below 0 or above the maximum
--           record_file   varchar  file that holds the record
--           record_row    bigint   its row number in that file, from 1
--           given_weight  bigint   its weight
-- params  $maximum_weight  bigint  largest weight that a record is counted with
-- source  histograms.md section 2.2
-- why     Only the number of these records is used, and only in the confidential log.
select
    table_values.record_file,
    table_values.record_row,
    table_values.given_weight
from table_values
where table_values.given_weight not between 0 and $maximum_weight
