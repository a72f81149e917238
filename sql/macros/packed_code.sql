-- packed_code: one of the four codes that packed_codes put in one number; 0 none.
--
-- zone    public
-- kind    macro
-- gives   usmallint
-- params  codes  ubigint  four codes
--         place  integer  1 the first, in the highest bits, to 4
-- source  tabulation.md section 2.1
create or replace temporary macro packed_code(codes, place) as
cast((codes >> (64 - 16 * place)) & 65535 as usmallint)
