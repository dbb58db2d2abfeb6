---- MODULE graph_cycle ----
EXTENDS Graphs
Result == <<HasCycle([node |-> 1..2, edge |-> {<<1, 2>>, <<2, 1>>}]), IsDag([node |-> 1..2, edge |-> {<<1, 2>>}])>>
====
<<TRUE, TRUE>>
