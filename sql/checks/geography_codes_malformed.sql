-- geography_codes_malformed: blocks whose codes are not digits of the right number.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography}
-- problem {n} row(s) with a code that is missing or not of 2, 3, 6, 4, 5 and 4 digits
-- fix     give each code in full, leading zeros included; write 99999 for no place and 9999 for no AIANNH area
-- source  tabulation.md section 2.2
select
    geography_rows.TABBLKST,
    geography_rows.TABBLKCOU,
    geography_rows.TABTRACTCE,
    geography_rows.TABBLK,
    geography_rows.PLACEFP,
    geography_rows.AIANNHCE
from geography_rows
where
    not coalesce(
        regexp_full_match(geography_rows.TABBLKST, '[0-9]{2}')
        and regexp_full_match(geography_rows.TABBLKCOU, '[0-9]{3}')
        and regexp_full_match(geography_rows.TABTRACTCE, '[0-9]{6}')
        and regexp_full_match(geography_rows.TABBLK, '[0-9]{4}')
        and regexp_full_match(geography_rows.PLACEFP, '[0-9]{5}')
        and regexp_full_match(geography_rows.AIANNHCE, '[0-9]{4}'),
        false
    )
