//go:build chromium

// Package chromium is a headless Chromium for tests of pages. Its build tag spares
// the other tests the time to compile a debugger.
package chromium

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Browser is a headless Chromium on one page, and what the page did that it
// must not do.
type Browser struct {
	context.Context
	t   *testing.T
	may func(url string) bool
	mu  sync.Mutex
	// What it said on the console, the exceptions and dialogs, and what it asked
	// for that it may not.
	complaints []string
}

// Start starts the Chromium that TRACECHECK_CHROMIUM names, and skips the test where it names
// none. may says what its pages may load. They may always load data: URLs.
func Start(t *testing.T, may func(url string) bool) *Browser {
	t.Helper()
	path := os.Getenv("TRACECHECK_CHROMIUM")
	if path == "" {
		t.Skip("TRACECHECK_CHROMIUM names no Chromium: .ci/chromium runs this test with one")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &Browser{Context: ctx, t: t, may: may}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	Call(b, network.Enable, network.EnableParams{})
	Call(b, runtime.Enable, cdp.Empty{})
	return b
}

// listen must not wait, nor ask the browser for anything.
func (b *Browser) listen(ev any) {
	complaint := ""
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		complaint = fmt.Sprintf("console: %s %+v", ev.Type, ev.Args)
	case *runtime.EventExceptionThrown:
		complaint = fmt.Sprintf("exception: %+v", ev.ExceptionDetails.Exception)
	case *page.EventJavascriptDialogOpening:
		complaint = "dialog: " + ev.Message
	case *network.EventRequestWillBeSent:
		if url := ev.Request.URL; !strings.HasPrefix(url, "data:") && !b.may(url) {
			complaint = "request: " + url
		}
	}
	if complaint != "" {
		b.mu.Lock()
		b.complaints = append(b.complaints, complaint)
		b.mu.Unlock()
	}
}

// Do takes steps, in order.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Call sends the browser a command of its protocol.
func Call[P, R any](b *Browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Call(b, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// Eval runs a script in the page.
func Eval[T any](b *Browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Text is an expression's value as text.
func (b *Browser) Text(expression string) string {
	b.t.Helper()
	return Eval[string](b, "String("+expression+")")
}

// Open shows a page at a size, and waits until it has drawn.
func (b *Browser) Open(url string, width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	b.Drawn()
}

// Drawn lets the page draw.
func (b *Browser) Drawn() {
	b.t.Helper()
	Eval[bool](b, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

// Media emulates a medium and, for a screen, a colour scheme.
func (b *Browser) Media(medium, scheme string) {
	b.t.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.Drawn()
}

// Complained fails the test if the page did what it must not do.
func (b *Browser) Complained() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Error(c)
	}
}

// Fits fails the test if the page is wider than the screen.
func (b *Browser) Fits(name string) {
	b.t.Helper()
	if wide := b.Text(`document.documentElement.scrollWidth + " of " + innerWidth`); b.Text(`document.documentElement.scrollWidth <= innerWidth`) != "true" {
		b.t.Errorf("%s is wider than the screen: %s", name, wide)
	}
}
