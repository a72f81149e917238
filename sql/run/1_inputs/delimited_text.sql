-- delimited_text: a pipe-delimited text file of the production system, every field as text.
--
-- zone    confidential
-- kind    file
-- reads   $text_file  the file, with a header row
-- writes  one row per line after the header
-- params  $text_file  varchar  path of the file
--         {{ text_columns }}  the names in its header row, each with the type varchar
-- source  tabulation.md section 2 (production's input formats)
-- why     Only this file knows of pipes: its rows become Parquet in the scratch folder, so that everything
--         downstream reads one format. Person files pass through here, hence the zone. Nothing is guessed from
--         the first lines, so a line with another number of fields is named by its number.
select *
from read_csv(
    $text_file,
    delim = '|',
    header = true,
    auto_detect = false,
    columns = {{ text_columns }},
    quote = '',
    escape = '',
    comment = '',
    skip = 0,
    null_padding = false,
    strict_mode = true,
    max_line_size = 65536
)
