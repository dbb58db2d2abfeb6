---- MODULE graph_descendants ----
EXTENDS Graphs
Result == Descendants([node |-> 1..4, edge |-> {<<1, 2>>, <<2, 3>>}], 1)
====
{2, 3}
