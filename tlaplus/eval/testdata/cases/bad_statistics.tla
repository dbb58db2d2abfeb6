---- MODULE bad_statistics ----
EXTENDS Statistics
Result == ChiSquare(<<1>>, <<1>>, "0.5")
====
error: bad_statistics.tla:3:11: ChiSquare is not supported
