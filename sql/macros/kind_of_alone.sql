-- kind_of_alone: the kind of an iteration of a question of several columns; NULL where the list does not say.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  is_alone     boolean  whether people are in it only if all their codes are
--         alone        varchar  the kind of alone iterations of the question
--         combination  varchar  the kind of its other iterations
-- source  tabulation.md section 2.3
create or replace temporary macro kind_of_alone(is_alone, alone, combination) as
case is_alone when true then alone when false then combination end
