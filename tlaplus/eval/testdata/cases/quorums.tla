---- MODULE quorums ----
EXTENDS Quorum
Result == QuorumSystem({1}) = {{{1}}}
====
TRUE
