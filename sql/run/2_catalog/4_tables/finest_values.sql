-- finest_values: the finest cell that each combination of the values of all attributes falls in.
--
-- zone    public
-- reads   attribute_values  one row per attribute and value
-- writes  one row per combination of values
--           {{ attribute_numbers }}  integer    number of the value of each attribute, such as AGE_number
--           finest_position  usmallint  0, 1, ...: the cell that no statistic splits
-- params  {{ attributes }}         each attribute
--         {{ attribute_numbers }}  what the number of its value is called, and where it is
-- source  tabulation.md section 5
-- why     Every cell of every statistic is a sum of finest cells, so the attributes of a person are one small number
--         before people are counted. People are joined to this table once, on equal values and not on ranges.
select
    {{ attribute_numbers | named }},
    cast(
        0
        {%- for attribute in attributes %}
        + {{ attribute.name | quoted }}.class_offset
        {%- endfor %} as usmallint
    ) as finest_position
from (select 1) as one_row
{%- for attribute in attributes %}
inner join attribute_values as {{ attribute.name | quoted }}
    on {{ attribute.name | quoted }}.attribute_name = {{ attribute.name | literal }}
{%- endfor %}
