package web

import (
	"testing"

	"github.com/prometheus/procfs"
)

// TestProcess compares the metrics of the process with those that Prometheus' library reads.
func TestProcess(t *testing.T) {
	self, err := procfs.Self()
	if err != nil {
		t.Fatal(err)
	}
	stat, err := self.Stat()
	if err != nil {
		t.Fatal(err)
	}
	started, err := stat.StartTime()
	if err != nil {
		t.Fatal(err)
	}
	limits, err := self.Limits()
	if err != nil {
		t.Fatal(err)
	}
	files, err := self.FileDescriptorsLen()
	if err != nil {
		t.Fatal(err)
	}
	net, err := self.Netstat()
	if err != nil {
		t.Fatal(err)
	}
	got := process()
	for _, one := range []struct {
		name          string
		of            processMetric
		least, atMost float64
	}{
		{"CPU time", cpuSeconds, stat.CPUTime() - 0.02, stat.CPUTime() + 60},
		{"open files", openFiles, float64(files - 1), float64(files)},
		{"limit of files", mostFiles, float64(limits.OpenFiles), float64(limits.OpenFiles)},
		{"virtual memory", virtualMemory, float64(stat.VirtualMemory()), float64(stat.VirtualMemory()) + 1<<28},
		{"limit of virtual memory", mostVirtualMemory, float64(limits.AddressSpace), float64(limits.AddressSpace)},
		{"resident memory", residentMemory, float64(stat.ResidentMemory()) / 2, float64(stat.ResidentMemory()) * 2},
		{"start", startTime, started, started},
		{"received", received, *net.InOctets, *net.InOctets + 1<<30},
		{"sent", sent, *net.OutOctets, *net.OutOctets + 1<<30},
	} {
		if v, ok := got[one.of]; !ok || v < one.least || v > one.atMost {
			t.Errorf("%s: %v (known: %v), want %v to %v", one.name, v, ok, one.least, one.atMost)
		}
	}
	if len(got) != 9 {
		t.Errorf("%d metrics, want 9", len(got))
	}
}
