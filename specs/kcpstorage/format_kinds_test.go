package kcpstorage_test

import _ "tracecheck/internal/format1"
