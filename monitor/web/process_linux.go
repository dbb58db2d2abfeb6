package web

import "github.com/prometheus/procfs"

// process reads the metrics of the process. What cannot be read is left out.
func process() map[processMetric]float64 {
	values := map[processMetric]float64{}
	self, err := procfs.Self()
	if err != nil {
		return values
	}
	if stat, err := self.Stat(); err == nil {
		values[cpuSeconds], values[virtualMemory], values[residentMemory] = stat.CPUTime(), float64(stat.VirtualMemory()), float64(stat.ResidentMemory())
		if at, err := stat.StartTime(); err == nil {
			values[startTime] = at
		}
	}
	if n, err := self.FileDescriptorsLen(); err == nil {
		values[openFiles] = float64(n)
	}
	if limits, err := self.Limits(); err == nil {
		values[mostFiles], values[mostVirtualMemory] = float64(limits.OpenFiles), float64(limits.AddressSpace)
	}
	if net, err := self.Netstat(); err == nil && net.InOctets != nil && net.OutOctets != nil {
		values[received], values[sent] = *net.InOctets, *net.OutOctets
	}
	return values
}
