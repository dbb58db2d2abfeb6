---- MODULE bad_circle ----
I == INSTANCE bad_circle
Result == I!Result
====
error: bad_circle.tla:2:15: modules depend on each other in a circle: bad_circle, bad_circle
