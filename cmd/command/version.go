package command

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
)

// traceFormat is the version of the trace format that is read.
const traceFormat = 1

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the revision, and changes to it
	Go       string `json:"go"`
	Format   int    `json:"format"` // of traces
}

func versionCommand(env console.Environment) *cli.Command {
	output := outputChoice()
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: output, Usage: "`FORMAT`: text or json"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("version takes no argument, not %q", c.Args().First())
			}
			v := readVersion()
			if output.Value == outputJSON {
				return json.NewEncoder(env.Stdout).Encode(v)
			}
			return printLines(env.Stdout, v.lines()...)
		},
	}
}

func readVersion() versionInfo {
	v := versionInfo{Version: "unknown", Go: runtime.Version(), Format: traceFormat}
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

func (v versionInfo) lines() []string {
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
