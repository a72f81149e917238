-- profile_iterations: the characteristic iterations that people of each profile belong to.
--
-- zone    confidential
-- reads   profiles         one row per distinct sequence of race codes and ethnicity code
--         profile_codes    one row per profile and distinct race code
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per profile and iteration
--           profile_id    integer  key of profiles
--           iteration_id  integer  key of iterations
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     In combination: the iteration holds some code of the person. Alone: it holds every one.
with code_set_sizes as (
    -- one row per profile
    select
        profile_codes.profile_id,
        count(*) as codes
    from profile_codes
    group by profile_codes.profile_id
),

matched_iterations as (
    -- one row per profile and race iteration that holds some code of it
    select
        profile_codes.profile_id,
        code_iterations.iteration_id,
        code_iterations.iteration_kind,
        count(*) as codes
    from profile_codes
    inner join code_iterations on profile_codes.code = code_iterations.code
    where code_iterations.iteration_kind <> 'ethnicity'
    group by profile_codes.profile_id, code_iterations.iteration_id, code_iterations.iteration_kind
)

select
    matched_iterations.profile_id,
    matched_iterations.iteration_id
from matched_iterations
inner join code_set_sizes on matched_iterations.profile_id = code_set_sizes.profile_id
where
    matched_iterations.iteration_kind = 'combination'
    or matched_iterations.codes = code_set_sizes.codes
union all
select
    profiles.profile_id,
    code_iterations.iteration_id
from profiles
inner join code_iterations on profiles.ethnicity_code = code_iterations.code
where code_iterations.iteration_kind = 'ethnicity'
