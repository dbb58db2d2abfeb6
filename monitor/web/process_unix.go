//go:build linux || darwin

package web

import (
	"os"

	"golang.org/x/sys/unix"
)

// addUsage adds the metrics that all Unix systems have. The folder has the open files.
func addUsage(values map[processMetric]float64, files string) {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		values[cpuSeconds] = float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	}
	if dir, err := os.Open(files); err == nil {
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
}
