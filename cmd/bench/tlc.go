package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// traceSpec is a log that its trace spec judges.
type traceSpec struct {
	dir, module, log, config string // in the folder of the logs; config is what CONFIG_PATH names
	deep                     bool   // TLC goes depth first
}

var traceSpecs = []traceSpec{
	{dir: "etcd-raft", module: "Traceetcdraft", log: "first1000"},
	{dir: "keyvaluestore", module: "KeyValueStoreTrace", log: "12C.EA", config: "conf.10-20-5.ndjson", deep: true},
	{dir: "keyvaluestore", module: "KeyValueStoreTrace", log: "12C-2.VpEA", config: "conf.20-40-10.ndjson", deep: true},
	{dir: "twophase", module: "TwoPhaseTrace", log: "12RM.E", config: "conf.12RM.ndjson", deep: true},
	{dir: "ewd998", module: "EWD998ChanTrace", log: "EWD998ChanTrace"},
}

// trivial is a module that costs nothing but the start.
const trivial = "---- MODULE Trivial ----\nVARIABLE x\nInit == x = 0\nNext == UNCHANGED x\n====\n"

// traceSpecs compares what `validate --module` takes with what TLC takes: processor
// time of the whole process, without what it takes to start.
func (b *bench) traceSpecs() error {
	const name = "trace specs: tracecheck / TLC"
	if !strings.Contains(name, b.only) {
		return nil
	}
	tools, material := os.Getenv("TRACECHECK_TLA2TOOLS"), os.Getenv("TRACECHECK_TLA")
	skip := ""
	switch {
	case tools == "":
		skip = "TRACECHECK_TLA2TOOLS does not name TLC's jar, or its folder of classes"
	case material == "":
		skip = "TRACECHECK_TLA does not name the folder of the TLA+ material"
	default:
		if _, err := exec.LookPath("java"); err != nil {
			skip = "there is no java"
		}
	}
	if skip != "" {
		fmt.Printf("%-52s skipped: %s\n", name, skip)
		return nil
	}
	cfg := filepath.Join(b.dir, "Trivial.cfg")
	err := errors.Join(os.WriteFile(filepath.Join(b.dir, "Trivial.tla"), []byte(trivial), 0o600),
		os.WriteFile(cfg, []byte("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"), 0o600))
	if err != nil {
		return err
	}
	tlcStart, err := b.tlc(tools, b.dir, "Trivial", false, nil)
	if err != nil {
		return err
	}
	start, err := b.processor(exec.Command(b.tool, "version"), "tracecheck")
	if err != nil {
		return err
	}
	fmt.Printf("%-52s start %.2f and %.2f s of processor time, which are left out\n", name, start, tlcStart)
	for _, s := range traceSpecs {
		if err := b.traceSpec(tools, filepath.Join(material, "traces", s.dir), s, start, tlcStart); err != nil {
			return fmt.Errorf("%s/%s: %w", s.dir, s.log, err)
		}
	}
	return nil
}

func (b *bench) traceSpec(tools, dir string, s traceSpec, start, tlcStart float64) error {
	log := filepath.Join(dir, "logs", s.log+".ndjson")
	env := []string{"JSON=" + log, "TRACE_PATH=" + log}
	if s.config != "" {
		env = append(env, "CONFIG_PATH="+filepath.Join(dir, s.config))
	}
	tlc, err := b.tlc(tools, dir, s.module, s.deep, env)
	if err != nil {
		return err
	}
	var own []float64
	for range b.runs {
		cmd := exec.Command(b.tool, "validate", "--module", filepath.Join(dir, s.module+".tla"), log)
		cmd.Env = append(os.Environ(), env...)
		took, err := b.processor(cmd, "CONFORMING")
		if err != nil {
			return err
		}
		own = append(own, took)
	}
	net, tlcNet := max(median(own)-start, 0.001), tlc-tlcStart
	fmt.Printf("%-52s %.2f and %.2f s; TLC takes %.0f times as much\n", "  "+s.dir+"/"+s.log, net, tlcNet, tlcNet/net)
	return nil
}

// tlc is the processor time of TLC, once.
func (b *bench) tlc(tools, dir, module string, deep bool, env []string) (float64, error) {
	meta, err := os.MkdirTemp(b.dir, "tlc")
	if err != nil {
		return 0, err
	}
	args := []string{"-XX:+UseSerialGC", "-cp", tools}
	if deep {
		args = append(args, "-Dtlc2.tool.queue.IStateQueue=StateDeque")
	}
	cmd := exec.Command("java", append(args, "tlc2.TLC", "-workers", "1", "-lncheck", "final", "-noGenerateSpecTE",
		"-metadir", meta, "-config", module+".cfg", module)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	return b.processor(cmd, "states generated")
}

// processor is the processor time of a command, in seconds, whose output has the
// text: user and system.
func (b *bench) processor(cmd *exec.Cmd, says string) (float64, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil || !strings.Contains(out.String(), says) {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), cmp.Or(err, errors.New("it does not say "+says)), tail(out.Bytes()))
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}
