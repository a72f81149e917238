-- records_without_person: records of a private table of a person view whose column of the person is missing.
--
-- zone    confidential
-- reads   $view_files  Parquet files, records of one table
-- writes  one row per record without a person
--           is_missing  boolean  true
-- params  $view_files  varchar[]  paths of the files of the table
--         {{ person_column }}  name of the column that names the person
-- source  tabulation.md section 2.1
-- why     A record of nobody would be a record of everybody: one missing value makes `not in` unknown for every person.
select {{ person_column | quoted }} is null as is_missing
from read_parquet($view_files)
where {{ person_column | quoted }} is null
