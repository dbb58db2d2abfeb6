---- MODULE dyadic ----
EXTENDS DyadicRationals
Result == PrettyPrint(Add(Half(One), Half(Half(One))))
====
"3/4"
