package follow

import _ "tracecheck/internal/format1"
