-- has_code: whether there is a code in a place of a number that packed_codes made.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  codes  ubigint  four codes
--         place  integer  1 the first, in the highest bits, to 4
-- source  tabulation.md section 2.1
create or replace temporary macro has_code(codes, place) as
(codes & (cast(65535 as ubigint) << (64 - 16 * place))) > 0
