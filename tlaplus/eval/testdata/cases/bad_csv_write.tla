---- MODULE bad_csv_write ----
EXTENDS CSV
Result == CSVWrite("%1$s", <<1>>, "f")
====
error: bad_csv_write.tla:3:11: CSVWrite is not supported
