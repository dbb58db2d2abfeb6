package alert

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each line is an alert that reads back as what it was.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "alerts.jsonl")
	f, err := NewFile(path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Name() != "file:"+path {
		t.Errorf("name %q", f.Name())
	}
	want := []Alert{violated("1", "a <b> & \u2028 \xff"), simple("2")[0], simple("3")[0]}
	if err := f.Deliver(t.Context(), want[:2]); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	f.Reopen()
	if err := f.Deliver(t.Context(), want[2:]); err != nil {
		t.Fatal(err)
	}
	want[0].Stream = "a <b> & \u2028 \uFFFD" // JSON is UTF-8
	want[0].Violation.Stream = want[0].Stream
	if got := readAlerts(t, path+".1"); !reflect.DeepEqual(got, want[:2]) {
		t.Errorf("before it was moved: %+v, want %+v", got, want[:2])
	}
	if got := readAlerts(t, path); !reflect.DeepEqual(got, want[2:]) {
		t.Errorf("after it was moved: %+v, want %+v", got, want[2:])
	}
}

func readAlerts(t *testing.T, path string) []Alert {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []Alert
	for line := range bytes.Lines(data) {
		var a Alert
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

func TestStdout(t *testing.T) {
	var out bytes.Buffer
	f, err := NewFile("-", &out, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Deliver(t.Context(), simple("1", "2")); err != nil {
		t.Fatal(err)
	}
	const line = `,"kind":"unusable","part":"p","stream":"s","message":"because","found":"2026-11-21T10:00:00.123456789Z"}` + "\n"
	if want := `{"id":"1"` + line + `{"id":"2"` + line; out.String() != want || f.Name() != "stdout" {
		t.Errorf("%s has %s want %s", f.Name(), out.String(), want)
	}
}

// What is not JSON in a violation does not keep its alert from being sent.
func TestEncodeNoJSON(t *testing.T) {
	a := violated("1", "s")
	a.Violation.Events[0].Raw = []byte("{torn")
	var got Alert
	if err := json.Unmarshal(encode(&a), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Truncated || got.ID != "1" || got.Violation.Rule != "Next" || len(got.Violation.Events) != 0 {
		t.Errorf("%+v", got)
	}
	if a.Truncated || len(a.Violation.Events) != 1 {
		t.Error("the alert itself was changed")
	}
}

func TestCut(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", 20), strings.Repeat("ü", 20), strings.Repeat("日", 9), "\xff\xfe", strings.Repeat("\xff", 30)} {
		for most := 3; most < 25; most++ {
			got := cut(text, most)
			if len(got) > most || !utf8.ValidString(got) {
				t.Errorf("%q within %d bytes is %q", text, most, got)
			}
			if utf8.ValidString(text) && len(text) <= most && got != text {
				t.Errorf("%q, which is short enough for %d, became %q", text, most, got)
			}
			if kept, isCut := strings.CutSuffix(got, "…"); isCut && utf8.ValidString(text) && (!strings.HasPrefix(text, kept) || len(kept) < most-3-3) {
				t.Errorf("%q within %d bytes is %q", text, most, got)
			}
		}
	}
}
