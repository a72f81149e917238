-- shared_counts: how many independent counts are in both counts of a wanted statistic.
--
-- zone    published
-- reads   asked_terms    one row per wanted statistic and count in it
--         wanted_cells   one row per wanted statistic, count in it and published cell that the count adds up
--         wanted_counts  one row per wanted statistic and count in it that was published
-- writes  one row per wanted statistic whose two counts are of one population group
--           statistic_number  bigint  key of the wanted statistics
--           shared_counts     bigint  independent counts that are in both
-- source  accuracy.md section 5
-- why     Noise that both counts have is no difference between them.
with same_groups as (
    -- one row per wanted statistic whose two counts are of one population group
    select asked_terms.statistic_number
    from asked_terms
    inner join asked_terms as other_terms
        on
            asked_terms.statistic_number = other_terms.statistic_number
            and asked_terms.region_type = other_terms.region_type
            and asked_terms.region_id = other_terms.region_id
            and asked_terms.iteration_code = other_terms.iteration_code
    where not asked_terms.is_other and other_terms.is_other
),

shared_cells as (
    -- one row per wanted statistic with shared cells
    select
        wanted_cells.statistic_number,
        count(*) as cells
    from wanted_cells
    inner join wanted_cells as other_cells
        on
            wanted_cells.statistic_number = other_cells.statistic_number
            and wanted_cells.sex = other_cells.sex
            and wanted_cells.age_start = other_cells.age_start
    where not wanted_cells.is_other and other_cells.is_other
    group by wanted_cells.statistic_number
),

totals_alone as (
    -- one row per wanted statistic of a group without a table
    select distinct wanted_counts.statistic_number
    from wanted_counts
    where wanted_counts.is_total
)

select
    same_groups.statistic_number,
    case
        when totals_alone.statistic_number is not null then 1
        else coalesce(shared_cells.cells, 0)
    end as shared_counts
from same_groups
left join shared_cells on same_groups.statistic_number = shared_cells.statistic_number
left join totals_alone on same_groups.statistic_number = totals_alone.statistic_number
