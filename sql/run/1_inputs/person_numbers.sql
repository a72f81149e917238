-- person_numbers: the person files with their codes as numbers, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons  Parquet files, one row per person
-- writes  one row per person
--           age             integer    years; NULL where it is no whole number
--           sex             utinyint   1 male, 2 female; NULL where it is no number
--           block_key       bigint     the codes of its place as one number, NULL where one is no number; or as text
--           race_code_1     usmallint  QRACE1; 0 none
--           race_code_2     usmallint  QRACE2; 0 none; and so on to the eighth
--           race_code_3     usmallint
--           race_code_4     usmallint
--           race_code_5     usmallint
--           race_code_6     usmallint
--           race_code_7     usmallint
--           race_code_8     usmallint
--           ethnicity_code  usmallint  QSPAN; 0 none
-- params  $persons  varchar[]  paths of the files
--         {{ person_key }}      the expression of the key, as the one of blocks
--         {{ person_columns }}  the expression that reads each column: the age, and each code as the file has it
-- source  tabulation.md section 2.1
-- why     A conversion that cannot fail, try_cast, is made once for each distinct text of a Parquet page, and not once
--         for each person. It takes what is no number for NULL; the checks refuse such records by their text. The text
--         Null is no number, so it needs no rule of its own.
select
    {{ person_columns.QAGE }} as age,
    try_cast({{ person_columns.QSEX_STORED }} as utinyint) as sex,
    {{ person_key }} as block_key,
    coalesce(try_cast({{ person_columns.QRACE1_STORED }} as usmallint), 0) as race_code_1,
    coalesce(try_cast({{ person_columns.QRACE2_STORED }} as usmallint), 0) as race_code_2,
    coalesce(try_cast({{ person_columns.QRACE3_STORED }} as usmallint), 0) as race_code_3,
    coalesce(try_cast({{ person_columns.QRACE4_STORED }} as usmallint), 0) as race_code_4,
    coalesce(try_cast({{ person_columns.QRACE5_STORED }} as usmallint), 0) as race_code_5,
    coalesce(try_cast({{ person_columns.QRACE6_STORED }} as usmallint), 0) as race_code_6,
    coalesce(try_cast({{ person_columns.QRACE7_STORED }} as usmallint), 0) as race_code_7,
    coalesce(try_cast({{ person_columns.QRACE8_STORED }} as usmallint), 0) as race_code_8,
    coalesce(try_cast({{ person_columns.QSPAN_STORED }} as usmallint), 0) as ethnicity_code
from read_parquet($persons, union_by_name = true)
