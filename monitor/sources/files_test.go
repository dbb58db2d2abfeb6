package sources

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/ingest"
	"tracecheck/ingest/follow"
	"tracecheck/ingest/mapping"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	add(t, a, node("s", "1")+"nonsense\n"+`{"stream":"s","kind":"x"}`+"\n"+node("s", "2"))
	files, err := OpenFiles([]string{a, b}, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	j := watch(t, files, nil)
	j.wait("file:"+a, "4 s 2")
	add(t, b, node("other", "3"))
	j.wait("file:"+b, "1 other 3")
	if j.last.Unit != "bytes" || j.last.Lag != 0 {
		t.Errorf("the lag is %d %s", j.last.Lag, j.last.Unit)
	}
	j.want("file:"+a, "1 s 1", "bad 2 []: the line is not JSON…", `bad 3 ["s"]: unknown kind…`, "4 s 2")
	if err := j.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	add(t, a, node("s", "4"))
	j = watch(t, files, j.next)
	j.wait("file:"+a, "5 s 4")
	j.want("file:"+a, "5 s 4")
	j.want("file:" + b)
}

func TestOpenFiles(t *testing.T) {
	for _, names := range [][]string{nil, {"a", "b", "./a"}} {
		if _, err := OpenFiles(names, FileOptions{}); err == nil {
			t.Errorf("%q are taken", names)
		}
	}
	if _, err := OpenFiles([]string{"a"}, FileOptions{MaxLine: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
}

// A stream in two files is not judged on in either, and both say so once.
func TestStreamInTwoFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	add(t, a, node("s", "1")+node("own", "2"))
	files, err := OpenFiles([]string{a, b}, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	j := watch(t, files, nil)
	j.wait("file:"+a, "2 own 2")
	add(t, b, node("mine", "3")+"bad\n"+node("s", "4")+node("s", "5")+"bad\n"+node("mine", "6")+node("s", "7"))
	j.wait("file:"+b, "6 mine 6")
	add(t, b, node("s", "8")+node("mine", "9"))
	j.wait("file:"+b, "9 mine 9")
	j.want("file:"+b, "1 mine 3", "bad 2 []: …", `bad 3 ["s"]: stream "s" is also in `+a+"…", "bad 5 []: …", "6 mine 6", "9 mine 9")
	add(t, a, node("own", "10")+node("s", "11")+node("s", "12")+node("own", "13"))
	j.wait("file:"+a, "6 own 13")
	j.want("file:"+a, "1 s 1", "2 own 2", "3 own 10", `bad 4 ["s"]: stream "s" is also in `+b+"…", "6 own 13")
}

// What cannot be read is tried again, and goes on where it was.
func TestTriesAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	add(t, path, node("s", "1"))
	core, said := observer.New(zap.WarnLevel)
	files, err := OpenFiles([]string{path}, FileOptions{Log: zap.New(core)})
	if err != nil {
		t.Fatal(err)
	}
	files.parts[0].patience = patience{time.Millisecond, 20 * time.Millisecond}
	j := watch(t, files, nil)
	j.wait("file:"+path, "1 s 1")
	if err := j.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".aside"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // in its place
		t.Fatal(err)
	}
	j = watch(t, files, j.next)
	for begin := time.Now(); said.FilterMessageSnippet("retrying").Len() < 3; time.Sleep(time.Millisecond) {
		if time.Since(begin) > patienceOfTests {
			t.Fatalf("it is not tried again: %v", said.All())
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	add(t, path+".aside", node("s", "2"))
	if err := os.Rename(path+".aside", path); err != nil {
		t.Fatal(err)
	}
	j.wait("file:"+path, "2 s 2")
	j.want("file:"+path, "2 s 2")
}

// The error of who takes the batches ends all of the source, and is not tried
// again; so does a position of something else.
func TestFails(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	add(t, a, node("s", "1"))
	files, err := OpenFiles([]string{a, b}, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	j := watch(t, files, nil)
	j.wait("file:"+a, "1 s 1")
	add(t, b, node("r", "refused"))
	j.until("the end", func() bool { return j.over })
	if j.ended != errTake {
		t.Errorf("it ended with %v", j.ended)
	}
	j = watch(t, files, monitorPositions{"file:" + a: "7"})
	j.until("the end", func() bool { return j.over })
	if !errors.Is(j.ended, follow.ErrPosition) {
		t.Errorf("it ended with %v", j.ended)
	}
}

// Other logs are followed by rules, and what was read is counted.
func TestMappedFiles(t *testing.T) {
	rules, err := mapping.Parse("r.yaml", []byte(`
rules:
  - when: {msg: up}
    stream: "{cluster}"
    kind: node
    op: create
    id: "{name}"
    object: {state: up}
`))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "app.log")
	var lines, unmapped atomic.Int64
	files, err := OpenFiles([]string{path}, FileOptions{
		Lines: func() ingest.LineDecoder { return rules.Decoder() },
		Read: func(l ingest.LineDecoder) {
			lines.Add(int64(l.(*mapping.Decoder).Lines))
			unmapped.Add(int64(l.(*mapping.Decoder).Unmapped))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	j := watch(t, files, nil)
	add(t, path, `{"msg":"up","cluster":"c","name":"n1"}`+"\n"+`{"msg":"noise"}`+"\n"+`{"msg":"up","cluster":"c"}`+"\n"+`{"msg":"up","cluster":"d","name":"n2"}`+"\n")
	j.wait("file:"+path, "4 d n2")
	j.want("file:"+path, "1 c n1", `bad 3 ["c"]: …`, "4 d n2")
	if lines.Load() != 4 || unmapped.Load() != 1 {
		t.Errorf("%d lines, %d of them without a rule", lines.Load(), unmapped.Load())
	}
	if got := j.got["file:"+path][1]; !strings.Contains(got, "r.yaml") {
		t.Errorf("the error names no rule: %s", got)
	}
}
