// Command tracecheck-raft writes the raft log of a swarm's manager as a trace.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"tracecheck/ingest/raftlog"
	"tracecheck/report"
)

const usage = `usage: tracecheck-raft [flags] DIR

DIR is a copy of a manager's swarm directory (/var/lib/docker/swarm), made while
its Engine was stopped. Nothing in it is changed. The trace begins with the
newest snapshot there, or where the swarm began if there is none.

`

// statusFailed is the exit status of any error. The readable part of the log is
// written anyway.
const statusFailed = 2

func main() { os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

func run(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	stderr = report.Visible(stderr)
	err := command(args, getenv, stdout, stderr)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	}
	fmt.Fprintf(stderr, "tracecheck-raft: %v\n", err)
	return statusFailed
}

func command(args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var output, keyFile string
	var opts raftlog.Options
	flags := flag.NewFlagSet("tracecheck-raft", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints the error
	flags.StringVar(&output, "output", "", "write to `FILE`, which must be new, not to standard output")
	flags.StringVar(&output, "o", "", "the same as -output `FILE`")
	flags.StringVar(&keyFile, "unlock-key-file", "", "`FILE` with the unlock key (SWMKEY-1-…) of a locked swarm; else $"+keyVariable)
	flags.BoolVar(&opts.FromStart, "from-start", false, "begin as early as the directory allows, not with the newest snapshot")
	flags.StringVar(&opts.Stream, "stream", "", "give the trace's stream a `NAME`")
	dirs, err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	if err != nil {
		return err
	}
	if len(dirs) != 1 {
		return errors.New("expected one directory; see --help")
	}
	if opts.UnlockKey, err = unlockKey(keyFile, getenv); err != nil {
		return err
	}
	log, err := raftlog.Open(dirs[0], opts)
	if errors.Is(err, raftlog.ErrLocked) {
		return fmt.Errorf("%w; give it with --unlock-key-file FILE or in $%s", err, keyVariable)
	}
	if err != nil {
		return err
	}
	return write(log, output, stdout, stderr)
}

// parse allows flags after the directory.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

func write(log *raftlog.Log, output string, stdout, stderr io.Writer) (err error) {
	w := stdout
	if output != "" {
		file, failed := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		w = file
	}
	sum, err := log.Write(w)
	for _, note := range log.Notes() {
		fmt.Fprintf(stderr, "note: %s\n", note)
	}
	fmt.Fprintf(stderr, "the log after entry %d up to %d: %d steps, %d lines, %d entries rejected\n",
		sum.From, sum.To, sum.Steps, sum.Lines, sum.Rejected)
	return err
}
