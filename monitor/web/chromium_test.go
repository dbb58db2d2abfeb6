package web

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	go func() { done <- Serve(ctx, l, Handler(b, opts), nil) }()
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
	for end := time.Now().Add(20 * time.Second); b.Text(expression) != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", expression)
		}
	}
}

// picture keeps what the browser shows in the folder that
// TRACECHECK_SCREENSHOTS names, for whoever wants to look.
func picture(b *chromium.Browser, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("TRACECHECK_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b, chromedp.FullScreenshot(90))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

// The pages can be read on a phone and on a wide screen, by night and by day,
// whatever the streams are called.
func TestChromiumPages(t *testing.T) {
	now := time.Now()
	scenes := map[string]*fakeBoard{"empty": newBoard(), "well": quiet(10_000, now), "troubled": troubled(t, 10_000, now), "hostile": hostile(t, now)}
	for name, scene := range scenes {
		base := serve(t, scene, Options{Specs: specs.All(), Interval: 10 * time.Second})
		b := visitor(t, base)
		for page, path := range pagesOf(scene) {
			for _, width := range []int64{390, 1280, 1920} {
				b.Open(base+path, width, 844)
				b.Fits(name + " " + page)
				for _, scheme := range []string{"light", "dark"} {
					b.Media("", scheme)
					picture(b, t, strings.Join([]string{name, page, scheme, b.Text("innerWidth")}, "-"))
				}
			}
		}
		if images := b.Text(`document.images.length + document.querySelectorAll("iframe, object").length`); images != "0" {
			t.Errorf("%s: %s images", name, images)
		}
		b.Complained()
	}
}
