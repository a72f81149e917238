-- share_of_person: which of so many shares of the persons a person is in, from 0.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  person  any     the key of the person; NULL is one of them
--         shares  bigint  how many shares there are
-- source  none: a part of the persons, as another machine counts it
create or replace temporary macro share_of_person(person, shares) as
cast(coalesce(hash(person), 0) % shares as bigint)
