-- suppressed: upper bound of the {records} in a population group whose total was suppressed.
--
-- zone    published
-- reads   suppressed_totals  one row per level and kind of group whose small totals are not published
--         levels             one row per population group level
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per region type with suppressed totals and characteristic iteration that it tabulates
--           REGION_TYPE       varchar  name of the region type
--           ITERATION_CODE    varchar  code of the characteristic iteration
--           SUPPRESSED_UP_TO  bigint   the largest noisy total that is not published, {records}
--           HIGH95            bigint   upper end of the one-sided 95 % interval of a group without a row, {records}
-- params  $ladder_id  integer  the ladder that is published
-- source  accuracy.md section 3
-- why     It names kinds of groups, not groups: which of them were suppressed follows from t1 and the geography.
select
    levels.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    suppressed_totals.suppressed_up_to as SUPPRESSED_UP_TO,
    suppressed_totals.high95 as HIGH95
from suppressed_totals
inner join levels on suppressed_totals.level_id = levels.level_id
inner join ladder_iterations
    on
        suppressed_totals.level_id = ladder_iterations.level_id
        and suppressed_totals.is_total_only = ladder_iterations.is_total_only
        and ladder_iterations.ladder_id = $ladder_id
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
order by levels.region_type, iterations.iteration_code
