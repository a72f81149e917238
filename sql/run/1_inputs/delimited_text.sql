-- delimited_text: a text file at a DuckDB prompt, of the production system or of another, every field as text.
--
-- zone    confidential
-- kind    file
-- reads   $text_file  the file, with a header row
-- writes  one row per line after the header
-- params  $text_file       varchar  path of the file
--         $delimiter       varchar  what separates its fields: | in files of the production system, a comma, ...
--         $quotation_mark  varchar  what may stand around a field; nothing in files of the production system
--         {{ text_columns }}  the names in its header row, each with the type varchar
-- source  tabulation.md section 2 (production's input formats)
-- why     For the scripts of `sql show`, which read text where it lies. A run reads text by public/text_files.py, which
--         writes Parquet to the scratch folder: where stretches of a large file begin, this reader may take a line
--         break for a part of a field. Nothing is guessed from the first lines of the file.
select *
from read_csv(
    $text_file,
    delim = $delimiter,
    header = true,
    auto_detect = false,
    columns = {{ text_columns }},
    quote = $quotation_mark,
    escape = $quotation_mark,
    comment = '',
    skip = 0,
    null_padding = false,
    strict_mode = true,
    parallel = false,
    max_line_size = 1048576
)
