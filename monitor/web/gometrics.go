package web

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// addGo adds the metrics of Go under the names that Prometheus' own library has for them.
func (e exposition) addGo() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	threads, _ := runtime.ThreadCreateProfile(nil)
	for _, one := range []struct {
		kind, name, help string
		value            float64
	}{
		{gauge, "goroutines", "Goroutines that exist.", float64(runtime.NumGoroutine())},
		{gauge, "threads", "Threads of the operating system that Go has created.", float64(threads)},
		{gauge, "sched_gomaxprocs_threads", "GOMAXPROCS: the threads that can run Go code at the same time.", float64(runtime.GOMAXPROCS(0))},
		{gauge, "gc_gogc_percent", "GOGC: how much the heap may grow between two garbage collections.", runtimeMetric("/gc/gogc:percent")},
		{gauge, "gc_gomemlimit_bytes", "GOMEMLIMIT: the limit of the memory that Go uses.", runtimeMetric("/gc/gomemlimit:bytes")},
		{gauge, "memstats_alloc_bytes", "Bytes of allocated heap objects.", float64(m.Alloc)},
		{counter, "memstats_alloc_bytes_total", "Bytes allocated for heap objects, freed ones included.", float64(m.TotalAlloc)},
		{gauge, "memstats_sys_bytes", "Bytes obtained from the operating system.", float64(m.Sys)},
		{counter, "memstats_mallocs_total", "Heap objects allocated.", float64(m.Mallocs)},
		{counter, "memstats_frees_total", "Heap objects freed.", float64(m.Frees)},
		{gauge, "memstats_heap_alloc_bytes", "Bytes of allocated heap objects.", float64(m.HeapAlloc)},
		{gauge, "memstats_heap_sys_bytes", "Bytes of the heap obtained from the operating system.", float64(m.HeapSys)},
		{gauge, "memstats_heap_idle_bytes", "Bytes of unused parts of the heap.", float64(m.HeapIdle)},
		{gauge, "memstats_heap_inuse_bytes", "Bytes of used parts of the heap.", float64(m.HeapInuse)},
		{gauge, "memstats_heap_released_bytes", "Bytes of the heap returned to the operating system.", float64(m.HeapReleased)},
		{gauge, "memstats_heap_objects", "Allocated heap objects.", float64(m.HeapObjects)},
		{gauge, "memstats_stack_inuse_bytes", "Bytes of stacks.", float64(m.StackInuse)},
		{gauge, "memstats_stack_sys_bytes", "Bytes for stacks obtained from the operating system.", float64(m.StackSys)},
		{gauge, "memstats_mspan_inuse_bytes", "Bytes of mspan structures.", float64(m.MSpanInuse)},
		{gauge, "memstats_mspan_sys_bytes", "Bytes for mspan structures obtained from the operating system.", float64(m.MSpanSys)},
		{gauge, "memstats_mcache_inuse_bytes", "Bytes of mcache structures.", float64(m.MCacheInuse)},
		{gauge, "memstats_mcache_sys_bytes", "Bytes for mcache structures obtained from the operating system.", float64(m.MCacheSys)},
		{gauge, "memstats_buck_hash_sys_bytes", "Bytes of the profiler's hash table.", float64(m.BuckHashSys)},
		{gauge, "memstats_gc_sys_bytes", "Bytes of the garbage collector's data.", float64(m.GCSys)},
		{gauge, "memstats_other_sys_bytes", "Bytes of other data of the runtime.", float64(m.OtherSys)},
		{gauge, "memstats_next_gc_bytes", "Bytes of the heap at which the next garbage collection begins.", float64(m.NextGC)},
		{gauge, "memstats_last_gc_time_seconds", "Time of the last garbage collection, in seconds since 1970.", float64(m.LastGC) / 1e9},
	} {
		e.add(&metric{kind: one.kind, name: "go_" + one.name, help: one.help}, one.value)
	}
	e.add(&metric{gauge, "go_info", "The version of Go. Always 1.", []string{"version"}}, 1, runtime.Version())
	gc := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&gc)
	pauses := &metric{summary, "go_gc_duration_seconds", "Pauses of garbage collections.", []string{"quantile"}}
	for i, pause := range gc.PauseQuantiles {
		e.add(pauses, pause.Seconds(), strconv.FormatFloat(float64(i)/4, 'g', -1, 64))
	}
	e.addAs(pauses, "_sum", gc.PauseTotal.Seconds())
	e.addAs(pauses, "_count", float64(gc.NumGC))
}

// runtimeMetric is the value of a metric of package runtime/metrics.
func runtimeMetric(name string) float64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return float64(sample[0].Value.Uint64())
}

// A processMetric is a metric of the process. Which there are depends on the operating system.
type processMetric int

const (
	cpuSeconds processMetric = iota
	openFiles
	mostFiles
	virtualMemory
	mostVirtualMemory
	residentMemory
	startTime
	received
	sent
)

// addProcess adds the metrics of the process under the names that Prometheus' own library has
// for them.
func (e exposition) addProcess() {
	for of, value := range process() {
		e.add([]*metric{
			cpuSeconds:        {kind: counter, name: "process_cpu_seconds_total", help: "CPU time of the user and of the system."},
			openFiles:         {kind: gauge, name: "process_open_fds", help: "Open file descriptors."},
			mostFiles:         {kind: gauge, name: "process_max_fds", help: "Limit of the open file descriptors."},
			virtualMemory:     {kind: gauge, name: "process_virtual_memory_bytes", help: "Virtual memory."},
			mostVirtualMemory: {kind: gauge, name: "process_virtual_memory_max_bytes", help: "Limit of the virtual memory."},
			residentMemory:    {kind: gauge, name: "process_resident_memory_bytes", help: "Resident memory."},
			startTime:         {kind: gauge, name: "process_start_time_seconds", help: "Start of the process, in seconds since 1970."},
			received:          {kind: counter, name: "process_network_receive_bytes_total", help: "Bytes received, in the process's network namespace."},
			sent:              {kind: counter, name: "process_network_transmit_bytes_total", help: "Bytes sent, in the process's network namespace."},
		}[of], value)
	}
}
