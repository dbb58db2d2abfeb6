package foreign

import _ "tracecheck/internal/format1"
