package workerimpl

import _ "tracecheck/internal/format1"
