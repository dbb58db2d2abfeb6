package command

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"tracecheck/ingest"
	"tracecheck/internal/garbage"
	"tracecheck/internal/tracefile"
	"tracecheck/internal/waits"
	"tracecheck/specs"
)

func TestMain(m *testing.M) {
	waits.Together()
	if filepath.Base(os.Args[0]) != "tracecheck" { // else it is a command of a script
		garbage.Seldom()
	}
	testscript.Main(m, map[string]func(){"tracecheck": func() { Main(specs.All()...) }})
}

// TestScripts runs testdata/script against the real binary. Every script has
// the files of testdata/traces: legal.jsonl, a task's whole life, and
// skip.jsonl, the same without the line in which it is allocated; and
// testdata/traces/mixed.jsonl of the module. The module's testdata/traces is there
// under this name, too. Beside testscript's own commands there are
//
//	status N COMMAND…       COMMAND must exit with status N
//	compress gzip|zstd A B  B is A, compressed
//	uncompress A B          B is A, which ends in .gz or .zst, uncompressed
//	documented FILE         docs/generate.md shows what is in FILE
//	fill N FILE             FILE is one line of N bytes
//	interrupt FILE TEXT ARG…  tracecheck ARG… reads FILE from a stdin that does not
//	                        end; once its output has TEXT, it is interrupted. Its
//	                        output is in the files out, err and exit.
//	terminal COMMAND…       COMMAND's stdout and stderr are a terminal (Linux);
//	                        what it shows is in the file screen, its status in exit
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup:               shareTraces,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "compress": compress, "uncompress": uncompress, "documented": documented, "fill": fill, "interrupt": interrupt, "terminal": terminal,
		},
	})
}

func shareTraces(env *testscript.Env) error {
	env.Setenv("GOGC", "400") // hundreds of short runs have no garbage to collect
	files, err := filepath.Glob("testdata/traces/*.jsonl")
	if err != nil {
		return err
	}
	for _, file := range append(files, "../../testdata/traces/mixed.jsonl") {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(file)), data, 0o666); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(env.WorkDir, "testdata"), 0o777); err != nil {
		return err
	}
	for _, name := range []string{"traces", "swarms", "tracespecs", "map"} {
		recordings, err := filepath.Abs(filepath.Join("../../testdata", name))
		if err != nil {
			return err
		}
		if err := os.Symlink(recordings, filepath.Join(env.WorkDir, "testdata", name)); err != nil {
			return err
		}
	}
	return nil
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitStatus(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func exitStatus(ts *testscript.TestScript, err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

func compress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: compress gzip|zstd FROM TO")
	}
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if args[0] == "zstd" {
		z, err := zstd.NewWriter(&out)
		ts.Check(err)
		w = z
	}
	_, err := io.WriteString(w, ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), out.Bytes(), 0o666))
}

func uncompress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: uncompress FROM TO")
	}
	text, err := unpack(tracefile.CompressionOf(args[0]), ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}

// unpack is the content of what was stored, also of what has no end yet.
func unpack(compression, stored string) (string, error) {
	content, how, done, err := ingest.Decompress(bufio.NewReader(strings.NewReader(stored)))
	if err != nil {
		return "", err
	}
	defer done()
	if cmp.Or(how, tracefile.CompressNone) != compression {
		return "", fmt.Errorf("it is stored as %q, want %s", how, compression)
	}
	text, err := io.ReadAll(content)
	return string(text), err
}

func documented(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: documented FILE")
	}
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	doc, err := os.ReadFile("../../docs/generate.md")
	ts.Check(err)
	if text == "" || !strings.Contains(string(doc), "\n"+text+"\n```\n") {
		ts.Fatalf("docs/generate.md does not show\n%s", text)
	}
}

func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill N FILE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	line := append(bytes.Repeat([]byte{' '}, n), '\n') // blank, so that only its length is wrong
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), line, 0o666))
}

// started is tracecheck, or another command, in the script's environment.
func started(ts *testscript.TestScript, name string, args []string) *exec.Cmd {
	path := name
	if filepath.Base(name) == name {
		for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
			if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				path = p
				break
			}
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{"NO_COLOR=" + ts.Getenv("NO_COLOR"), "TERM=" + ts.Getenv("TERM"), "HOME=" + ts.Getenv("HOME")}
	return cmd
}
