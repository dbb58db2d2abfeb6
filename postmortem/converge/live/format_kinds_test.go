package live

import _ "tracecheck/internal/format1"
