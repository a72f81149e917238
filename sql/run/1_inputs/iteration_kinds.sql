-- iteration_kinds: the kinds of iterations that each question has.
--
-- zone    public
-- writes  one row per kind of iterations
--           iteration_kind  varchar  alone, combination, or the name of a question of one column: see iteration_rows
--           question_name   varchar  the question
--           is_of_several   boolean  whether a record may give several codes to it
--           is_alone        boolean  whether a record is in such an iteration only with all of its codes
--           codes_read      integer  how many codes are read of it, 1 to 8
-- params  $kind_names       varchar[]  each kind
--         $kind_questions   varchar[]  the question of each, in the same order
--         $kind_is_several  boolean[]  likewise
--         $kind_is_alone    boolean[]  likewise
--         $kind_codes_read  bigint[]   likewise
-- source  tabulation.md section 4
select
    unnest(cast($kind_names as varchar[])) as iteration_kind,
    unnest(cast($kind_questions as varchar[])) as question_name,
    unnest(cast($kind_is_several as boolean[])) as is_of_several,
    unnest(cast($kind_is_alone as boolean[])) as is_alone,
    unnest(cast($kind_codes_read as integer[])) as codes_read
