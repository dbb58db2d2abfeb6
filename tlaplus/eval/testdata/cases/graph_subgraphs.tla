---- MODULE graph_subgraphs ----
EXTENDS Graphs
Result == Cardinality(DirectedSubgraph([node |-> 1..2, edge |-> {<<1, 2>>}]))
====
5
