-- packed_codes: four codes in one number, 16 bits each.
--
-- zone    public
-- kind    macro
-- gives   ubigint
-- params  first   usmallint  the code in the highest bits; 0 none
--         second  usmallint  likewise, in the bits below
--         third   usmallint  likewise
--         fourth  usmallint  in the lowest bits
-- source  tabulation.md section 2.1
create or replace temporary macro packed_codes(first, second, third, fourth) as
cast(first as ubigint) * 281474976710656
+ cast(second as ubigint) * 4294967296
+ cast(third as ubigint) * 65536
+ cast(fourth as ubigint)
