// Bench measures what `tracecheck validate` costs, as ratios. Each ratio compares two commands
// that are run in turn, in one run. It also measures what the monitor takes for many streams.
// It makes its traces itself, with `tracecheck generate`. It also runs TLC on trace specs, if
// two variables are set. TRACECHECK_TLA2TOOLS names TLC's jar or its folder of classes, with
// the community modules. TRACECHECK_TLA names the folder of the logs.
//
//	go run ./cmd/bench [-events N] [-runs N] [-only TEXT] [-kafka HOST:PORT] [-recording FILE]
//	go run ./cmd/bench -baseline COMMIT [-events N] [-runs N] [-only TEXT]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	b := bench{}
	flag.IntVar(&b.events, "events", 1_000_000, "events of a trace")
	flag.IntVar(&b.runs, "runs", 5, "counted runs of each command, after one that is not counted")
	flag.StringVar(&b.only, "only", "", "only the ratios whose name has this text")
	flag.StringVar(&b.baseline, "baseline", "", "compare this build with that of this commit, on the same traces, and nothing else")
	flag.StringVar(&b.broker, "kafka", "", "a real Kafka's broker, HOST:PORT, to read from too")
	flag.StringVar(&b.recording, "recording", "", "a recording of a swarm that conforms under the profile moby, as lines or with gzip")
	flag.StringVar(&b.dir, "dir", "", "keep the traces in this folder; the default is one that goes")
	bare := flag.String("bare", "", "walk this file's fields and do nothing else (the baseline)")
	flag.Parse()
	var err error
	if *bare != "" {
		err = walk(*bare)
	} else {
		err = b.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run of the program.
type bench struct {
	events, runs int
	only         string
	baseline     string // the commit to compare with; "": none
	broker       string
	recording    string // the file; "": none
	dir          string

	tool, self string
}

func (b *bench) run() error {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "tracecheck-bench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		b.dir = dir
	}
	b.tool = filepath.Join(b.dir, "tracecheck")
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	if err := build(strings.TrimSpace(string(root)), b.tool); err != nil {
		return err
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d CPUs%s; %d events a trace where nothing else is said; %d runs each, in turn: median (least to most)\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor(), b.events, b.runs)
	list, done := b.comparisons()
	defer done()
	if b.baseline != "" {
		return b.against(b.baseline, list)
	}
	for _, c := range list {
		if !strings.Contains(c.name, b.only) {
			continue
		}
		if _, err := b.compare(&c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if err := b.traceSpecs(); err != nil {
		return fmt.Errorf("trace specs: %w", err)
	}
	return b.monitor()
}

// build builds the tool of the tree as releases do, with the compiler profile.
func build(tree, to string) error {
	cmd := exec.Command("go", "build", "-pgo", filepath.Join(tree, "cmd", "tracecheck", "tracecheck.pgo"), "-o", to, "./cmd/tracecheck")
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s: %v\n%s", tree, err, tail(out))
	}
	return nil
}

// processor names the machine's processor, where Linux tells.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, name, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return " (" + strings.TrimSpace(name) + ")"
		}
	}
	return ""
}
