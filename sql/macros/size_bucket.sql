-- size_bucket: the smallest size of the bucket of population groups of a size: 0, 1, 10, 100, ..., 100000.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  size  bigint  persons in the group
-- source  evaluation.md section 2.5
-- why     Powers of ten: errors hardly depend on the size of a group, and relative errors fall as it grows.
create or replace temporary macro size_bucket(size) as
cast(
    case
        when size = 0 then 0
        when size < 10 then 1
        when size < 100 then 10
        when size < 1000 then 100
        when size < 10000 then 1000
        when size < 100000 then 10000
        else 100000
    end as bigint
)
