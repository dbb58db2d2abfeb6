---- MODULE strings_by_first_use ----
Result == CHOOSE x \in {"b", "a"} : TRUE
====
"b"
