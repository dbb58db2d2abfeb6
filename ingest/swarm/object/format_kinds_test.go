package object

import _ "tracecheck/internal/format1"
