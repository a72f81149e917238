-- sdmx_codes: the codes of the code lists of an SDMX structure.
--
-- zone    published
-- reads   exported_index  one row per population group with a published count
-- writes  one row per code list and code
--           list_name  varchar  REGION, or another code list
--           id         varchar  the code as SDMX writes it
--           meaning    varchar  what it is called
-- params  $listed_lists     varchar[]  code list of each code, of those that do not follow from the groups
--         $listed_codes     varchar[]  the codes, in the same order
--         $listed_meanings  varchar[]  what each is called; empty: like the code
-- source  tabulation.md section 7.4
with published_regions_listed as (
    -- one row per region with a published group
    select distinct
        exported_index.REGION_TYPE as region_type,
        exported_index.REGION_ID as region_id,
        exported_index.REGION_NAME as region_name
    from exported_index
),

listed_codes as (
    select
        unnest($listed_lists) as list_name,
        unnest($listed_codes) as code,
        unnest($listed_meanings) as meaning
)

select
    'REGION' as list_name,
    sdmx_id(published_regions_listed.region_type || '@' || published_regions_listed.region_id) as id,
    coalesce(
        published_regions_listed.region_name,
        published_regions_listed.region_type || ' ' || published_regions_listed.region_id
    ) as meaning
from published_regions_listed
union all
select
    listed_codes.list_name,
    sdmx_id(listed_codes.code) as id,
    coalesce(nullif(listed_codes.meaning, ''), listed_codes.code) as meaning
from listed_codes
order by list_name, id
