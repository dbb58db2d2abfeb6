//go:build unix

package command

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// ask is what the process serves there, with its status.
func (p *process) ask(t *testing.T, path string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(p.url + path)
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, resp)
}

// answer reads a response whole.
func answer(t *testing.T, resp *http.Response) (status int, body string) {
	t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// A file that does not exist is named as the reason at once, with and without rules. It is
// judged when it comes.
func TestMonitorOfNoFile(t *testing.T) {
	t.Parallel()
	for _, mapped := range []bool{false, true} {
		d := newDesk(t)
		var flags []string
		if mapped {
			flags = []string{"--map", d.write("rules.yaml", identity)}
		}
		p := d.follow(flags...)
		d.said(p, "the file does not exist", 1)
		d.wait("its page", func() bool { _, err := p.overview(); return err == nil })
		d.wait("the part", func() bool {
			o, _ := p.overview()
			return len(o.Parts) == 1 && o.Parts[0].State == "absent"
		})
		for path, want := range map[string]int{"/-/healthy": 200, "/healthz": 200, "/-/ready": 503, "/readyz": 503} {
			status, body := p.ask(t, path)
			if status != want || strings.Contains(body, "file:"+d.path("log")+": the file does not exist") != (want == 503) {
				t.Errorf("%s: status %d, %s", path, status, body)
			}
		}
		if page := p.get(t, "/"); !strings.Contains(page, "the file does not exist") || strings.Contains(page, "</span> judging<") {
			t.Errorf("the page has not why there is nothing to judge:\n%s", page)
		}
		if metrics := p.get(t, "/metrics"); !strings.Contains(metrics, `tracecheck_source_up{part="file:`+d.path("log")+`"} 0`) {
			t.Errorf("the source is up:\n%s", metrics)
		}
		if log := p.stderr.String(); strings.Contains(log, "judging") {
			t.Errorf("it judges what is not there:\n%s", log)
		}
		d.add(begin("a", "s1"), begin("b", "s1"), begin("a", "s1"), begin("b", "s1"), begin("c", "s1"), begin("c", "s1"), begin("b", "s1"))
		d.caughtUp(p)
		d.wait("readiness", func() bool { status, _ := p.ask(t, "/-/ready"); return status == 200 })

		// The position is one that people know. The worst stream is the first; of equally bad ones,
		// it is the one with the latest violation.
		d.add(begin("c", "s1"))
		d.caughtUp(p)
		var o struct{ Parts []struct{ Place string } }
		d.wait("the next line", func() bool {
			return json.Unmarshal([]byte(p.get(t, "/api/overview")), &o) == nil && o.Parts[0].Place == "line 9"
		})
		if page := p.get(t, "/"); !strings.Contains(page, ">line 9<") || strings.Contains(page, "inode") {
			t.Errorf("the page has no position for people:\n%s", page)
		}
		var list struct{ Streams []struct{ Stream string } }
		if err := json.Unmarshal([]byte(p.get(t, "/api/streams")), &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list.Streams {
			got = append(got, s.Stream)
		}
		if !slices.Equal(got, []string{"c", "b", "a"}) {
			t.Errorf("the streams are %q", got)
		}
		if !mapped { // the charts: their first sample comes after a quarter of a minute
			var past struct{ Samples []struct{ Violations int } }
			d.wait("the samples", func() bool {
				violations := 0
				err := json.Unmarshal([]byte(p.get(t, "/api/past")), &past)
				for _, sample := range past.Samples {
					violations += sample.Violations
				}
				return err == nil && violations == 5
			})
			if page := p.get(t, "/"); !strings.Contains(page, "<h2>The last ") || strings.Count(page, "<svg") < 3 {
				t.Errorf("the page has no charts:\n%s", page)
			}
		}
		d.stop(p)
		p = d.follow(flags...)
		d.said(p, `"from": "line 9"`, 1)
		d.stop(p)
		if err := os.Remove(d.path("state")); err != nil {
			t.Fatal(err)
		}
	}
}
