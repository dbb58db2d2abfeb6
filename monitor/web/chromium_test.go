//go:build chromium

package web

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tracecheck/internal/chromium"
	"tracecheck/monitor/board"
	"tracecheck/specs"
)

// serve serves the board on a port of its own, and returns its address.
func serve(t *testing.T, b board.Board, opts Options) string {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, b, opts)
}

func serveOn(t *testing.T, l net.Listener, b board.Board, opts Options) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Access{}.Serve(ctx, l, Handler(b, opts), nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/"
}

// visitor is a Chromium that may load what the server has, and nothing else.
func visitor(t *testing.T, base string) *chromium.Browser {
	return chromium.Start(t, func(url string) bool { return strings.HasPrefix(url, base) })
}

// until waits until an expression is true.
func until(b *chromium.Browser, t *testing.T, expression string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); b.Text(expression) != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", expression)
		}
	}
}

// picture keeps what the browser shows in the folder that
// TRACECHECK_SCREENSHOTS names, for inspection.
func picture(b *chromium.Browser, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("TRACECHECK_SCREENSHOTS")
	if dir == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		b.Media("", scheme)
		png, err := chromedp.Run(b, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), png, 0o666)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// The pages can be read on a phone and on a wide screen, by night and by day,
// whatever the streams are called.
func TestChromiumPages(t *testing.T) {
	now := time.Now()
	scenes := map[string]*fakeBoard{"empty": newBoard(), "well": quiet(2_000, now), "troubled": troubled(t, 2_000, now), "hostile": hostile(t, now)}
	for name, scene := range scenes {
		base := serve(t, scene, Options{Specs: specs.All(), Interval: 10 * time.Second})
		b := visitor(t, base)
		for page, path := range pagesOf(scene) {
			for _, width := range []int64{390, 1280} {
				b.Open(base+path, width, 844)
				b.Fits(name + " " + page)
				picture(b, t, fmt.Sprintf("%s-%s-%d", name, page, width))
			}
		}
		if images := b.Text(`document.images.length + document.querySelectorAll("iframe, object").length`); images != "0" {
			t.Errorf("%s: %s images", name, images)
		}
		b.Complained()
	}
}

// A change comes to a page that is open, which is not loaded again for it: what
// the reader has focused or unfolded stays. A server that is gone is reported.
func TestChromiumLive(t *testing.T) {
	scene := quiet(30, time.Now())
	l, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Access{}.Serve(ctx, l, Handler(scene, Options{}), nil) }()
	base := "http://" + l.Addr().String() + "/"
	b := visitor(t, base)
	b.Open(base, 1280, 844)
	until(b, t, `document.getElementById("live").textContent === "● live"`)
	if title := b.Text(`document.querySelector("h1").textContent`); !strings.Contains(title, "All well") {
		t.Errorf("the page states %q", title)
	}
	const second = `document.querySelectorAll("#streams tbody a")[1]`
	chromium.Eval[int](b, second+`.focus(), window.mine = 1`)
	focused := b.Text(`document.activeElement.textContent`)
	violations := realViolations(t, "cluster-00005", time.Now())
	scene.change(func() {
		scene.violations = violations
		scene.streams[5].Violations = 2
	})
	until(b, t, `document.querySelector("h1").textContent.includes("1 stream at fault")`)
	if first := b.Text(`document.querySelector("#streams tbody a").textContent`); first != "cluster-00005" {
		t.Errorf("the first stream is %q, not the one at fault", first)
	}
	if title := b.Text(`document.title`); title != "✗ 1 stream at fault · tracecheck" {
		t.Errorf("the title is %q", title)
	}
	if now := b.Text(`document.activeElement.textContent`); now != focused || b.Text(`window.mine`) != "1" {
		t.Errorf("the focus went from %q to %q, or the page was loaded again", focused, now)
	}

	// Beside a violation, which does not change, the rest is live.
	b.Open(base+"violation/"+violations[0].ID, 1280, 844)
	if lanes := b.Text(`document.getElementById("tl-range").textContent`); lanes != "6 objects, events 1 to 8 of 8" { // the service and five tasks; two of its own events, five of theirs, and the end
		t.Errorf("the timeline shows %q", lanes)
	}
	scene.change(func() { scene.violations, scene.overview.Parts[0].State = nil, board.Failed })
	until(b, t, `document.getElementById("pill").textContent === "✗ Not judging 1 of 2 parts"`)
	b.Complained()

	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	until(b, t, `/no connection for/.test(document.getElementById("live").textContent) && document.body.classList.contains("lost")`)
	again, err := net.Listen("tcp", l.Addr().String())
	if err != nil {
		t.Skipf("the port is taken: %v", err)
	}
	serveOn(t, again, scene, Options{})
	until(b, t, `document.getElementById("live").textContent === "● live" && !document.body.classList.contains("lost")`)
}

// Without scripts the pages have all that matters, and are looked at again.
func TestChromiumWithoutScripts(t *testing.T) {
	scene := troubled(t, 200, time.Now())
	base := serve(t, scene, Options{})
	b := visitor(t, base)
	chromium.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	has := func(path string, selectors ...string) {
		t.Helper()
		b.Do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(base+path))
		for _, s := range selectors {
			if nodes, err := chromedp.Run(b, chromedp.Nodes(chromedp.CSSAll(s))); err != nil || len(nodes) == 0 {
				t.Errorf("/%s has no %s (%v)", path, s, err)
			}
		}
	}
	has("", "#verdict.bad h1", "#live a", `noscript meta[http-equiv="refresh"], meta[http-equiv="refresh"]`, "#streams tbody tr", "#latest li")
	has("violation?id="+scene.violations[0].ID, ".near .failed", ".strip .breaks", ".history li", ".change .changed, .change td")
	has("stream?name=cluster-00013", ".waits tbody tr")
	has("streams", `a[rel="next"]`)
	b.Do(chromedp.SendKeys(chromedp.CSS(`input[name="find"]`), "00013\r"), chromedp.WaitVisible(chromedp.CSS(`#number a`)))
	if nodes, err := chromedp.Run(b, chromedp.Nodes(chromedp.CSSAll("#list tbody tr"))); err != nil || len(nodes) != 1 {
		t.Errorf("%d streams are found (%v)", len(nodes), err)
	}
	b.Complained()
}

// A reader acknowledges a violation on its page, without scripts too, and takes it back. The
// form fits on a phone.
func TestChromiumAcknowledge(t *testing.T) {
	scene := troubled(t, 20, time.Now())
	base := serve(t, scene, Options{Acknowledge: &acknowledger{b: scene}})
	b := visitor(t, base)
	page := base + "violation?id=" + scene.violations[0].ID
	for _, width := range []int64{1280, 390} {
		b.Open(page, width, 844)
		b.Fits(fmt.Sprint("the form at ", width))
		picture(b, t, fmt.Sprintf("acknowledge-%d", width))
	}
	for _, scripts := range []bool{true, false} {
		chromium.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
		b.Do(chromedp.Navigate(page), chromedp.SendKeys(chromedp.CSS(`#acknowledge input[name="by"]`), "Ana"),
			chromedp.SendKeys(chromedp.CSS(`#acknowledge input[name="why"]`), "made by hand\r"), chromedp.WaitVisible(chromedp.CSS(`#acknowledge button[name="withdraw"]`)))
		if v, _ := scene.Violation(scene.violations[0].ID); v.Acked == nil || v.Acked.By != "Ana" || v.Acked.Why != "made by hand" {
			t.Errorf("scripts %t: acknowledged as %+v", scripts, v.Acked)
		}
		b.Do(chromedp.Click(chromedp.CSS(`#acknowledge button[name="withdraw"]`)), chromedp.WaitVisible(chromedp.CSS(`#acknowledge input[name="by"]`)))
		if v, _ := scene.Violation(scene.violations[0].ID); v.Acked != nil {
			t.Errorf("scripts %t: still acknowledged", scripts)
		}
	}
	b.Complained()
}
