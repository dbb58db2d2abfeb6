package tracespec

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkTail: what the last 1,000 lines of the log of etcd-raft cost, divided by
// what the first cost, in processor time of one run.
func BenchmarkTail(b *testing.B) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		b.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	const lines, part = 4888, 1000
	dir := filepath.Join(material, "traces/etcd-raft")
	o := Options{Module: filepath.Join(dir, "Traceetcdraft.tla"), Env: map[string]string{"JSON": filepath.Join(dir, "logs/example.ndjson")}}
	var first, last float64
	for b.Loop() {
		at := map[int]float64{}
		o.Progress = func(p Progress) {
			for _, mark := range []int{0, part, lines - part, lines} {
				if _, passed := at[mark]; !passed && p.Lines >= mark {
					at[mark] = user(b)
				}
			}
		}
		r, err := Judge(b.Context(), o)
		if err != nil || !r.Accepted || r.Lines != lines {
			b.Fatalf("%v, %+v", err, r)
		}
		first, last = first+at[part]-at[0], last+user(b)-at[lines-part]
	}
	b.ReportMetric(first/float64(b.N), "first-s")
	b.ReportMetric(last/float64(b.N), "last-s")
	b.ReportMetric(last/first, "last/first")
}

// user is the process's processor time, without the system's, in seconds.
func user(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}
