package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// kept are the pending alerts of an outbox that takes them from a checkpoint,
// while its receivers, a and b, take none; as a checkpoint has them.
func kept(t *testing.T, saved []byte) (list []Pending, again []byte) {
	t.Helper()
	if err := json.Unmarshal(saved, &list); err != nil {
		t.Fatalf("%v: %s", err, saved)
	}
	q, err := NewOutbox([]Receiver{&fake{name: "a", deny: down}, &fake{name: "b", deny: down}}, Options{RetryMin: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	defer q.Close(ended)
	q.Restore("p", list)
	list = q.Pending("p")
	if again, err = json.Marshal(list); err != nil {
		t.Fatalf("what is pending cannot be saved: %v", err)
	}
	return list, again
}

// FuzzSaved: of what a checkpoint has no alert is lost over restarts, each is the
// same as before, and each can be written wherever alerts go.
func FuzzSaved(f *testing.F) {
	offset := int64(1 << 40)
	for _, list := range [][]Pending{
		{},
		{{Alert: violated("1", "s"), For: []string{"a"}}, {Alert: simple("2")[0], For: []string{"b", "a"}}, {Alert: simple("2")[0]}},
		{{Alert: violated("", "\u202e\x00</script>"), For: []string{"gone", "a"}}, {Alert: simple("x")[0], For: []string{}}},
		{{Alert: Alert{ID: "y", Offset: &offset, Message: strings.Repeat("é", 3000), File: "f", Line: -1}}},
	} {
		saved, err := json.Marshal(list)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(saved)
	}
	f.Add([]byte(`[{"alert":{"id":"1","found":"9999-12-31T23:59:59.999Z","violation":{}},"for":["a","a"]}]`))
	f.Add([]byte(`[{"alert":{"id":"1","found":"0000-01-01T00:00:00+23:59","violation":{"changes":[{"before":null,"after":{}}],"events":[{"event":[]}],"near":null}}}]`))
	f.Add([]byte(`[null,{"alert":null,"for":null},{"alert":{"id":"\ud800","violation":{"seq":null,"nearest":[{}]}},"for":[null]}]`))
	w, err := NewWebhook(WebhookOptions{URL: "http://127.0.0.1:1/", PublicURL: "http://127.0.0.1:2/"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, saved []byte) {
		var first []Pending
		if json.Unmarshal(saved, &first) != nil {
			return
		}
		var want []string
		for i := range first {
			if p := &first[i]; (p.For == nil || len(p.For) > 0) && !slices.Contains(want, p.Alert.ID) {
				want = append(want, p.Alert.ID)
			}
		}
		list, once := kept(t, saved)
		if _, twice := kept(t, once); !bytes.Equal(once, twice) {
			t.Errorf("over a restart\n%s\nbecomes\n%s", once, twice)
		}
		var got []string
		for i := range list {
			got = append(got, list[i].Alert.ID)
			checkWritten(t, w, &list[i].Alert)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pending are %q, want %q", got, want)
		}
	})
}

// checkWritten holds the alert's encodings to a parser, and short ones to be
// short.
func checkWritten(t *testing.T, w *Webhook, a *Alert) {
	t.Helper()
	for _, one := range []*Alert{a, withoutLines(a), shortest(a)} {
		text := encode(one)
		var back Alert
		if err := json.Unmarshal(text, &back); err != nil || bytes.ContainsAny(text, "\n\r") || back.ID != a.ID {
			t.Errorf("written as %s: %v", text, err)
		}
	}
	if n := len(shortest(a).Message); n > mostText {
		t.Errorf("the shortest message has %d bytes", n)
	}
	body, err := json.Marshal([]postable{w.postable(a)})
	var back []struct {
		Labels, Annotations map[string]string
		StartsAt, EndsAt    time.Time
	}
	if err == nil {
		err = json.Unmarshal(body, &back)
	}
	if err != nil {
		t.Fatalf("cannot be posted: %v", err)
	}
	if !back[0].EndsAt.After(back[0].StartsAt) {
		t.Errorf("it is over before it begins: %s", body)
	}
	for name, value := range back[0].Labels {
		if len(value) > mostLabel || value == "" || !utf8.ValidString(value) {
			t.Errorf("the label %s is %q", name, value)
		}
	}
}
