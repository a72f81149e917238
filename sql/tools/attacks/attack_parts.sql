-- attack_parts: the regions that divide a region completely, such as the counties of a state.
--
-- zone    public
-- reads   geo_unit_regions  one row per geo unit and region it lies in
--         regions           one row per region
-- writes  one row per region that divides one of another type
--           whole_key  integer  key of the region that is divided
--           part_key   integer  key of the region that divides it
-- source  evaluation.md section 7.2
-- why     A region type divides another one if each of its regions lies in one region of the other, and they leave
--         nothing out. Of several types that a type divides, it is counted with the finest.
with typed_units as (
    -- one row per geo unit and region it lies in
    select
        geo_unit_regions.geo_unit_id,
        geo_unit_regions.region_key,
        regions.region_type,
        count(*) over (partition by geo_unit_regions.region_key) as units,
        count(*) over (partition by regions.region_type) as units_of_type
    from geo_unit_regions
    inner join regions on geo_unit_regions.region_key = regions.region_key
),

paired_regions as (
    -- one row per region and other region type that some geo unit of the region lies in
    select
        parts.region_type as part_type,
        parts.region_key as part_key,
        wholes.region_type as whole_type,
        min(wholes.region_key) as whole_key,
        min(wholes.units_of_type) as units_of_type,
        count(*) as common_units,
        count(*) = min(parts.units) and min(wholes.region_key) = max(wholes.region_key) as is_inside
    from typed_units as parts
    inner join typed_units as wholes
        on
            parts.geo_unit_id = wholes.geo_unit_id
            and parts.region_type <> wholes.region_type
    group by parts.region_type, parts.region_key, wholes.region_type
),

dividing_types as (
    -- one row per region type that divides others: the finest of these
    select
        paired_regions.part_type,
        paired_regions.whole_type
    from paired_regions
    group by paired_regions.part_type, paired_regions.whole_type
    having
        bool_and(paired_regions.is_inside)
        and sum(paired_regions.common_units) = min(paired_regions.units_of_type)
        and count(*) > count(distinct paired_regions.whole_key)
    qualify
        row_number() over (
            partition by paired_regions.part_type
            order by count(distinct paired_regions.whole_key) desc, paired_regions.whole_type
        ) = 1
)

select
    paired_regions.whole_key,
    paired_regions.part_key
from dividing_types
inner join paired_regions
    on
        dividing_types.part_type = paired_regions.part_type
        and dividing_types.whole_type = paired_regions.whole_type
