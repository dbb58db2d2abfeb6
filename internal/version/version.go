// Package version reports the version, and the trace format that it reads.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// traceFormat is the version of the trace format that is read.
const traceFormat = 1

// Info is what is known of the program.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the revision, and changes to it
	Go       string `json:"go"`
	Format   int    `json:"format"` // of traces
}

// Read returns what was stamped into the program when it was built.
func Read() Info {
	v := Info{Version: "unknown", Go: runtime.Version(), Format: traceFormat}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// Lines is the information for people.
func (v Info) Lines() []string {
	lines := []string{"tracecheck " + v.Version}
	if v.Revision != "" {
		modified := ""
		if v.Modified {
			modified = " (modified)"
		}
		lines = append(lines, "revision "+v.Revision+modified)
	}
	return append(lines, "built with "+v.Go, fmt.Sprintf("reads trace format %d", v.Format))
}
