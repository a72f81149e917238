-- merged_findings: what the checks found in all parts of the records together.
--
-- zone    confidential
-- reads   part_findings  one row per part of the records, and check that found anything there
-- writes  one row per check that found anything
--           check_name    varchar    name of the check
--           check_number  integer    of a check of several attributes: which of them, from 0
--           records       bigint     rows that it returned
--           examples      varchar[]  the first five of these rows, as text
-- source  tabulation.md section 8
-- why     A record is in one part, so rows of parts add up; in the order of files, first examples are of first files.
select
    part_findings.check_name,
    part_findings.check_number,
    cast(sum(part_findings.records) as bigint) as records,
    list_slice(flatten(list(part_findings.examples order by part_findings.part)), 1, 5) as examples
from part_findings
group by part_findings.check_name, part_findings.check_number
