package web

import (
	"os"

	"golang.org/x/sys/unix"
)

// process reads the metrics of the process. What cannot be read is left out.
func process() map[processMetric]float64 {
	values := map[processMetric]float64{}
	addUsage(values, "/dev/fd")
	if self, err := unix.SysctlKinfoProc("kern.proc.pid", os.Getpid()); err == nil {
		values[startTime] = float64(self.Proc.P_starttime.Nano()) / 1e9
	}
	return values
}
