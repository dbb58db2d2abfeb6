---- MODULE sequence ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<Len(<<3, 4>>), Head(<<3, 4>>), Tail(<<3, 4>>), Append(<<3>>, 4), <<1>> \o <<2>>, SubSeq(<<1, 2, 3>>, 2, 3)>>
====
<<2, 3, <<4>>, <<3, 4>>, <<1, 2>>, <<2, 3>>>>
