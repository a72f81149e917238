-- quality_repeats: tables that equal the table of another group, cell by cell.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  pairs of tables with as many cells
--           found     bigint  pairs that are equal in every cell
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     Two tables are equal with a chance of at most the product over the cells of 1 / sqrt(1 + 2 * variance), with
--         the variances of either table. Of each pair the mean of both is taken.
with whole_tables as (
    -- one row per population group with a table
    select
        count(*) as cells,
        list(t2.COUNT order by t2.AGESTART, t2.AGEEND, t2.SEX) as counts,
        exp(sum(-0.5 * ln(1 + 2 * t2.VARIANCE))) as chance
    from t2
    where t2.AGESTART <> '*'
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
),

equal_tables as (
    -- one row per number of cells and table that any group has
    select
        whole_tables.cells,
        count(*) as groups_alike
    from whole_tables
    group by whole_tables.cells, whole_tables.counts
),

table_sizes as (
    -- one row per number of cells
    select
        whole_tables.cells,
        count(*) as groups_alike,
        sum(whole_tables.chance) as chances
    from whole_tables
    group by whole_tables.cells
)

select
    cast(coalesce(sum(table_sizes.groups_alike * (table_sizes.groups_alike - 1) / 2), 0) as bigint) as looked,
    cast(
        coalesce(
            (select sum(equal_tables.groups_alike * (equal_tables.groups_alike - 1) / 2) from equal_tables), 0
        ) as bigint
    ) as found,
    coalesce(sum((table_sizes.groups_alike - 1) * table_sizes.chances / 2), 0) as expected
from table_sizes
