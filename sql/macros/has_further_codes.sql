-- has_further_codes: whether any of four packed codes but the first is one.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  codes  ubigint  four codes, from packed_codes
-- source  tabulation.md section 2.1
create or replace temporary macro has_further_codes(codes) as
(codes & 281474976710655) > 0
