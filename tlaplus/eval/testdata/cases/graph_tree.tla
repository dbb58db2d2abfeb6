---- MODULE graph_tree ----
EXTENDS Graphs
Result == <<IsTreeWithRoot([node |-> 1..3, edge |-> {<<2, 1>>, <<3, 1>>}], 1), IsTreeWithRoot([node |-> 1..3, edge |-> {<<2, 1>>}], 1)>>
====
<<TRUE, FALSE>>
