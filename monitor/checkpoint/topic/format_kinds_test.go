package topic

import _ "tracecheck/internal/format1"
