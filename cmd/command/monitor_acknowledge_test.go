//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tracecheck/ingest/kafka/kafkatest"
)

// ackShown is what the tests read of an acknowledged violation.
type ackShown struct {
	Violations []struct {
		ID, Fingerprint string
		Line            int
		Offset          *int64
		Acknowledged    struct{ By, Why string }
	}
}

func (p *process) violations(t *testing.T) (v ackShown) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.get(t, "/api/violations")), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// acknowledge posts what the documentation's curl does.
func (p *process) acknowledge(t *testing.T, id, by, why string) (status int, body string) {
	t.Helper()
	resp, err := http.PostForm(p.url+"/api/acknowledgements", url.Values{"id": {id}, "by": {by}, "why": {why}})
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, resp)
}

// An acknowledgement is in the checkpoint file soon, so that not even a crash loses it. The
// banner has no fault any more. The same violation again sends no alert; another one does.
func TestMonitorAcknowledged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	snapshot := strings.Replace(begin("s", "x"), "create", "snapshot", 1)
	d.add(snapshot, begin("s", "x"))
	p := d.follow("--checkpoint-every", "1h")
	d.caughtUp(p)
	d.alerted("alerts", "violation s 2")
	v := p.violations(t).Violations[0]
	if status, body := p.acknowledge(t, v.ID, "", "seen"); status != http.StatusBadRequest || !strings.Contains(body, "by is missing") {
		t.Errorf("without a name: status %d, %s", status, body)
	}
	if status, body := p.acknowledge(t, "nothing", "ann", "seen"); status != http.StatusNotFound || !strings.Contains(body, "does not have the violation") {
		t.Errorf("of nothing: status %d, %s", status, body)
	}
	if status, body := p.acknowledge(t, v.ID, "ann", "made by hand"); status != http.StatusOK || !strings.Contains(body, v.Fingerprint) {
		t.Fatalf("status %d, %s", status, body)
	}
	d.said(p, "acknowledged", 1)
	d.wait("the checkpoint", func() bool {
		status, stdout, _ := tryRun(t.Context(), nil, "checkpoint", "show", d.path("state"), "--output", "json")
		return status == 0 && strings.Contains(stdout, `"by":"ann","why":"made by hand"`)
	})
	d.kill(p)

	d.add(snapshot, begin("s", "x"))
	p = d.follow()
	d.caughtUp(p)
	v = p.violations(t).Violations[0]
	if v.Acknowledged.By != "ann" || v.Acknowledged.Why != "made by hand" {
		t.Errorf("after a restart: %+v", v)
	}
	for path, want := range map[string]string{
		"/": "All well", "/violation/" + v.ID: "Acknowledged</b> by ann", "/api/acknowledgements": `"total":1`,
		"/metrics": "\ntracecheck_acknowledged_violations 1\n", "/api/overview": `"acknowledged":1`,
	} {
		d.wait(path, func() bool { return strings.Contains(p.get(t, path), want) })
	}
	if metrics := p.get(t, "/metrics"); !strings.Contains(metrics, "\ntracecheck_known_violations_total 1\n") {
		t.Error("the violation that came again is not counted as known")
	}
	d.add(begin("s", "y"), begin("s", "y"))
	d.caughtUp(p)
	d.alerted("alerts", "violation s 2", "violation s 6")
	form, err := http.PostForm(p.url+"/acknowledge", url.Values{"id": {v.ID}, "by": {"bert"}, "why": {"by the form of the page"}})
	if err != nil {
		t.Fatal(err)
	}
	if status, page := answer(t, form); status != http.StatusOK || !strings.Contains(page, "bert") {
		t.Errorf("the form of the page: %d %s", status, page)
	}
	request, err := http.NewRequest(http.MethodDelete, p.url+"/api/acknowledgements?id="+v.Fingerprint, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	d.add(snapshot, begin("s", "x"))
	d.caughtUp(p)
	d.alerted("alerts", "violation s 2", "violation s 6", "violation s 8")
	d.stop(p)
}

// An object that the step creates or deletes is not there before or after it. The monitor still
// knows that its violation is acknowledged after a restart.
func TestMonitorAcknowledgedDeletion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(begin("s", "x"), `{"stream":"s","kind":"service","op":"delete","id":"x"}`)
	p := d.follow()
	d.caughtUp(p)
	if status, body := p.acknowledge(t, p.violations(t).Violations[0].ID, "ann", "made by hand"); status != http.StatusOK {
		t.Fatalf("status %d, %s", status, body)
	}
	d.stop(p)
	p = d.follow()
	d.caughtUp(p)
	if v := p.violations(t).Violations[0]; v.Acknowledged.By != "ann" {
		t.Errorf("after a restart: %+v", v)
	}
	d.stop(p)
}

// The same where checkpoints are in a topic: another monitor takes the part over.
func TestMonitorAcknowledgedInTopic(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t)
	r := newRig(t, c.ListenAddrs(), 1)
	kafkatest.CreateTopic(t, r.client, "state", 1, "cleanup.policy=compact", "retention.ms=-1")
	snapshot := strings.Replace(begin("s", "x"), "create", "snapshot", 1)
	r.produce([]string{snapshot, begin("s", "x")}, 0)
	p := r.start("--checkpoint-topic", "state", "--spec", "swarmkit")
	r.caughtUp(p)
	v := p.violations(t).Violations[0]
	if status, body := p.acknowledge(t, v.ID, "ann", "made by hand"); status != http.StatusOK {
		t.Fatalf("status %d, %s", status, body)
	}
	r.stop(p)
	r.produce([]string{snapshot, begin("s", "x")}, 0)
	p = r.start("--checkpoint-topic", "state", "--spec", "swarmkit")
	r.caughtUp(p)
	if got := p.violations(t).Violations; len(got) != 1 || got[0].Acknowledged.By != "ann" {
		t.Errorf("the next monitor has %+v", got)
	}
	r.stop(p)
	if ids, _ := r.alerted(); !slices.Equal(ids, []string{v.ID}) {
		t.Errorf("alerts of %q, want of %s alone", ids, v.ID)
	}
}

// A page that other machines reach takes acknowledgements with a login only.
func TestMonitorAcknowledgeNeedsLogin(t *testing.T) {
	t.Parallel()
	for _, login := range []bool{false, true} {
		d := newDesk(t)
		d.add(begin("s", "x"), begin("s", "x"))
		flags := []string{"--listen-remote", "--listen", "0.0.0.0:0", "--listen-host", "127.0.0.1"}
		if login {
			flags = append(flags, "--web-config", accessFiles(t, d.dir, false, true))
		}
		p := d.follow(flags...)
		page := ""
		d.wait("the page", func() bool {
			_, after, found := strings.Cut(p.stderr.String(), "the page is at http://localhost:")
			port, _, whole := strings.Cut(after, "\n")
			if page = strings.TrimSpace(strings.Split(port+" ", " ")[0]); !found || !whole {
				return false
			}
			p.url = fmt.Sprintf("http://%s127.0.0.1:%s", map[bool]string{true: "ann:secret@"}[login], page)
			return true
		})
		d.caughtUp(p)
		status, body := p.acknowledge(t, p.violations(t).Violations[0].ID, "", "seen")
		switch {
		case login && (status != http.StatusOK || !strings.Contains(body, `"by":"ann"`)):
			t.Errorf("with a login: status %d, %s", status, body)
		case !login && (status != http.StatusForbidden || !strings.Contains(body, "Add a login")):
			t.Errorf("without a login: status %d, %s", status, body)
		}
		if login {
			p.url = "http://127.0.0.1:" + page
			if status, _ := p.acknowledge(t, "x", "bob", "seen"); status != http.StatusUnauthorized {
				t.Errorf("without the login that there is: status %d", status)
			}
		}
		d.stop(p)
	}
}

// What a baseline of validate lists is counted, and sends no alert.
func TestMonitorBaseline(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(begin("s", "x"), begin("s", "x"))
	known := d.path("known.yaml")
	if status, _, stderr := tryRun(t.Context(), nil, "validate", "--spec", "swarmkit", "--write-baseline", known, d.path("log")); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	d.add(begin("s", "y"), begin("s", "y"))
	p := d.follow("--baseline", known)
	d.caughtUp(p)
	d.alerted("alerts", "violation s 4")
	d.wait("the count", func() bool {
		return strings.Contains(p.get(t, "/metrics"), "\ntracecheck_known_violations_total 1\n")
	})
	d.stop(p)
}
