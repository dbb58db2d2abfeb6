package kafka

import _ "tracecheck/internal/format1"
