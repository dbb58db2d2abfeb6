package web

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ticks is how many ticks the second has in /proc.
const ticks = 100

// process reads the metrics of the process. What cannot be read is left out.
func process() map[processMetric]float64 {
	values := map[processMetric]float64{}
	addUsage(values, "/proc/self/fd")
	var virtual, resident float64
	if n, _ := fmt.Sscan(proc("self/statm"), &virtual, &resident); n == 2 {
		page := float64(unix.Getpagesize())
		values[virtualMemory], values[residentMemory] = virtual*page, resident*page
	}
	stat := proc("self/stat")
	stat = stat[strings.LastIndexByte(stat, ')')+1:] // the program's name may have spaces
	if fields := strings.Fields(stat); len(fields) > 19 {
		_, boot, _ := strings.Cut(proc("stat"), "\nbtime ")
		boot, _, _ = strings.Cut(boot, "\n")
		since, err := strconv.ParseFloat(boot, 64)
		if after, err2 := strconv.ParseFloat(fields[19], 64); err == nil && err2 == nil {
			values[startTime] = since + after/ticks
		}
	}
	of := map[string]processMetric{"InOctets": received, "OutOctets": sent}
	if _, ip, ok := strings.Cut(proc("self/net/netstat"), "\nIpExt: "); ok {
		names, numbers, _ := strings.Cut(ip, "\nIpExt: ")
		list := strings.Fields(numbers)
		for i, name := range strings.Fields(names) {
			if m, ok := of[name]; ok && i < len(list) {
				if n, err := strconv.ParseFloat(list[i], 64); err == nil {
					values[m] = n
				}
			}
		}
	}
	return values
}

// proc is the content of a file of /proc; "" if it cannot be read.
func proc(name string) string {
	text, _ := os.ReadFile("/proc/" + name)
	return string(text)
}
