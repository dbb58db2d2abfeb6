package portallocator

import _ "tracecheck/internal/format1"
