-- as_bucket: in which of the challenge's hundred buckets a number lies; -1 outside, NULL where there is no number.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given     any     the value: text, or a whole number
--         smallest  bigint  the smallest number of the field
--         largest   bigint  the largest
-- source  histograms.md section 5.1
create or replace temporary macro as_bucket(given, smallest, largest) as
case
    when try_cast(given as integer) between smallest and largest
        then cast(floor((try_cast(given as integer) - smallest) * 100 / (1.0001 * (largest - smallest))) as integer)
    when try_cast(given as integer) is not null then -1
end
