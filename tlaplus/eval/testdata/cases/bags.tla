---- MODULE bags ----
EXTENDS Bags
Result == CopiesIn("a", SetToBag({"a"}) (+) SetToBag({"a", "b"}))
====
2
