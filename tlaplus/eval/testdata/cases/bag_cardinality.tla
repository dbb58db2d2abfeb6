---- MODULE bag_cardinality ----
EXTENDS Bags, TLC
Result == BagCardinality(1 :> 3 @@ 2 :> 4)
====
7
