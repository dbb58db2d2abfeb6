---- MODULE interleave ----
EXTENDS SequencesExt
Result == Interleave(<<1, 3>>, <<2, 4>>)
====
<<<<1>>, <<2>>, <<3>>, <<4>>>>
