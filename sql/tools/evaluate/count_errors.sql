-- count_errors: the error of every measured count, and how often it should lie within its margin.
--
-- zone    confidential
-- kind    slices
-- reads   measured_counts   one row per run and measured count
--         evaluated_groups  one row per tabulated population group with a published count
--         noise_laws        one row per population group level and law of published noise
--         small_coverages   one row per population group level, law, kind of count and small exact size
-- writes  one row per run and measured count
--           run                     integer  1, 2, ...
--           population_group_level  varchar  such as COUNTY-2
--           size_start              bigint   smallest size of the bucket of its group
--           stat_level              tinyint  statistic selected: 0 total, 1 the coarsest table, ...
--           noise                   varchar  total only, or stage 2
--           error                   bigint   noisy minus exact, persons
--           residual                bigint   as the noise left it, minus exact, persons; error, unless reconciled
--           is_covered              boolean  whether the error is within its published MOE95
--           is_free                 boolean  whether neither suppression nor clipping can have touched it
--           expected_coverage       double   chance that it is covered, given that it was published
--           variance                double   of a reconciled count, persons squared; NULL for others
-- source  evaluation.md section 2
-- why     Whether a small total is published depends on its noise, so the noise of published small totals does not
--         follow its law any more. Small counts are therefore kept apart.
select
    measured_counts.run,
    evaluated_groups.population_group_level,
    evaluated_groups.size_start,
    measured_counts.stat_level,
    noise_laws.noise,
    measured_counts.noisy_count - measured_counts.exact_count as error,
    measured_counts.drawn_count - measured_counts.exact_count as residual,
    abs(measured_counts.noisy_count - measured_counts.exact_count) <= measured_counts.moe95 as is_covered,
    (
        measured_counts.exact_count
        >= case measured_counts.stat_level when 0 then noise_laws.free_total_from else noise_laws.free_cell_from end
    ) as is_free,
    case
        when
            measured_counts.exact_count
            >= case measured_counts.stat_level
                when 0 then noise_laws.free_total_from
                else noise_laws.free_cell_from
            end
            then noise_laws.expected_coverage
        else small_coverages.expected_coverage
    end as expected_coverage,
    measured_counts.variance
from measured_counts
inner join evaluated_groups
    on
        measured_counts.region_id = evaluated_groups.region_id
        and measured_counts.region_type = evaluated_groups.region_type
        and measured_counts.iteration_code = evaluated_groups.iteration_code
inner join noise_laws
    on
        evaluated_groups.population_group_level = noise_laws.population_group_level
        and noise_laws.noise = case when evaluated_groups.is_total_only then 'total only' else 'stage 2' end
left join small_coverages
    on
        noise_laws.population_group_level = small_coverages.population_group_level
        and noise_laws.noise = small_coverages.noise
        and (measured_counts.stat_level = 0) = small_coverages.is_total
        and measured_counts.exact_count = small_coverages.exact_count
