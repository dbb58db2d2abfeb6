package history

import _ "tracecheck/internal/format1"
