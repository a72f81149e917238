-- row_hash: a number that tells whether two files hold the same rows, in whatever order, format or compression.
--
-- zone    confidential
-- reads   $compared_files  Parquet files, records or rows of a public file
-- writes  one row per set of files
--           hash_sum  varchar  sum of a hash of each row, of the compared columns as text; a whole number
-- params  $compared_files  varchar[]  paths of the files
--         {{ compared_columns }}  the name of each column that both files have
-- source  tabulation.md section 8
-- why     A copy of the records must not pass for a public file. A sum does not depend on the order of the rows; text
--         does not depend on the type of a column, so that a copy in CSV is noticed.
select
    cast(coalesce(sum(hash([
        {%- for column in compared_columns %}
        coalesce(cast({{ column | quoted }} as varchar), ''),
        {%- endfor %}
    ])), 0) as varchar) as hash_sum
from read_parquet($compared_files, union_by_name = true, hive_partitioning = false)
