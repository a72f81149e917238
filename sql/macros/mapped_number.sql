-- mapped_number: the number of the value that a value of the file counts as; of every other value, one made otherwise.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given      varchar    the value as it stands in the file
--         mapped     varchar[]  the values that count as others
--         numbers    integer[]  the number of what each of them counts as
--         otherwise  integer    for every other value
-- source  tabulation.md section 2.1
create or replace temporary macro mapped_number(given, mapped, numbers, otherwise) as
coalesce(cast(list_extract(numbers, list_position(mapped, given)) as integer), otherwise)
