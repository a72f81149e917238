-- geo_units: the finest pieces of geography: all blocks of a geo unit lie in the same regions.
--
-- zone    public
-- reads   area_regions  one row per area of the parts that are run
-- writes  one row per distinct combination of regions that some block lies in
--           geo_unit_id         integer  1, 2, ...
--           {{ region_types }}  varchar  one column per region type: the id of its region, NULL for none
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
-- why     The nation has 8 million blocks but far fewer combinations (tract x place x AIANNH area): people are
--         counted once by combination, and the counts roll up to every region.
with distinct_regions as (
    -- one row per combination
    select distinct
        {{ region_types | of("area_regions") }}
    from area_regions
)

select
    cast(
        row_number() over (
            order by
                {{ region_types | of("distinct_regions") }}
        ) as integer
    ) as geo_unit_id,
    {{ region_types | of("distinct_regions") }}
from distinct_regions
