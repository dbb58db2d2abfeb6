---- MODULE at_at_first ----
EXTENDS TLC
Result == ("a" :> 1 @@ "a" :> 2)["a"]
====
1
