---- MODULE csv_no_file ----
EXTENDS CSV
Result == CSVRecords("there is no such file")
====
0
