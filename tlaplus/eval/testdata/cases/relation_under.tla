---- MODULE relation_under ----
EXTENDS Relation, Naturals
Result == <<IsTransitiveUnder(<, 1..3), IsReflexiveUnder(<, 1..3), IsTotallyOrderedUnder(=<, 1..3)>>
====
<<TRUE, FALSE, TRUE>>
