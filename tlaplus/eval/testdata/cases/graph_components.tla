---- MODULE graph_components ----
EXTENDS UndirectedGraphs, Naturals
Result == ConnectedComponents([node |-> 1..4, edge |-> {{1, 2}, {2, 3}}])
====
{{4}, {1, 2, 3}}
