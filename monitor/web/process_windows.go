package web

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX of the Windows API.
type memoryCounters struct {
	size           uint32
	pageFaults     uint32
	peakWorkingSet uintptr
	workingSet     uintptr
	pools          [4]uintptr
	pagefile       uintptr
	peakPagefile   uintptr
	private        uintptr
}

// process reads the metrics of the process. What cannot be read is left out.
func process() map[processMetric]float64 {
	values := map[processMetric]float64{}
	self := windows.CurrentProcess()
	var began, ended, system, user windows.Filetime
	if windows.GetProcessTimes(self, &began, &ended, &system, &user) == nil {
		values[startTime], values[cpuSeconds] = float64(began.Nanoseconds())/1e9, seconds(system)+seconds(user)
	}
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	memory := memoryCounters{}
	memory.size = uint32(unsafe.Sizeof(memory))
	if ok, _, _ := kernel.NewProc("K32GetProcessMemoryInfo").Call(uintptr(self), uintptr(unsafe.Pointer(&memory)), unsafe.Sizeof(memory)); ok != 0 {
		values[virtualMemory], values[residentMemory] = float64(memory.private), float64(memory.workingSet)
	}
	var handles uint32
	if ok, _, _ := kernel.NewProc("GetProcessHandleCount").Call(uintptr(self), uintptr(unsafe.Pointer(&handles))); ok != 0 {
		values[openFiles], values[mostFiles] = float64(handles), 1<<24 // the limit of Windows
	}
	return values
}

// seconds is a duration, which counts in 100 ns.
func seconds(t windows.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}
