-- attribute_values: the values of each attribute, and what each adds to the number of its finest cell.
--
-- zone    public
-- writes  one row per attribute and value
--           attribute_name  varchar  such as AGE
--           value_number    integer  a whole number, such as 34 years; of a listed value, its place in the list, from 1
--           class_offset    integer  number of its class, times how far two classes are apart among the finest cells
-- params  $attribute_names  varchar[]  attribute of each row
--         $value_numbers    bigint[]   value of each, in the same order
--         $class_offsets    bigint[]   offset of each
-- source  tabulation.md section 5
-- why     Values that no grouping tells apart are of one class: 46 classes of sex and age stand for 232 values.
select
    unnest(cast($attribute_names as varchar[])) as attribute_name,
    unnest(cast($value_numbers as integer[])) as value_number,
    unnest(cast($class_offsets as integer[])) as class_offset
