package web

import (
	"os"

	"golang.org/x/sys/unix"
)

// process reads the metrics of the process. What cannot be read is left out.
func process() map[processMetric]float64 {
	values := map[processMetric]float64{}
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		values[cpuSeconds] = float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	}
	if self, err := unix.SysctlKinfoProc("kern.proc.pid", os.Getpid()); err == nil {
		values[startTime] = float64(self.Proc.P_starttime.Nano()) / 1e9
	}
	if dir, err := os.Open("/dev/fd"); err == nil {
		if names, err := dir.Readdirnames(0); err == nil {
			values[openFiles] = float64(len(names) - 1) // without this folder
		}
		dir.Close()
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		values[mostFiles] = float64(limit.Cur)
	}
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil {
		values[mostVirtualMemory] = float64(limit.Cur)
	}
	return values
}
