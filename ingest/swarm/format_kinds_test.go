package swarm

import _ "tracecheck/internal/format1"
