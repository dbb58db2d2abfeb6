package mapping

import _ "tracecheck/internal/format1"
