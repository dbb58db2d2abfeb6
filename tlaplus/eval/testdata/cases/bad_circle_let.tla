---- MODULE bad_circle_let ----
Result == LET I == INSTANCE bad_circle_let IN I!Result
====
error: bad_circle_let.tla:2:29: modules depend on each other in a circle: bad_circle_let, bad_circle_let
