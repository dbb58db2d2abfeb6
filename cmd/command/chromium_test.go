//go:build chromium

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tracecheck/internal/chromium"
)

// browser is a headless Chromium on a report.
type browser struct {
	*chromium.Browser
	t *testing.T
}

// newBrowser starts a Chromium. A report loads nothing.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	return &browser{chromium.Start(t, func(url string) bool { return strings.HasSuffix(url, ".html") }), t}
}

// open shows a file at a size, and waits until it has drawn.
func (b *browser) open(file string, width, height int64) {
	b.t.Helper()
	b.Open("file://"+file, width, height)
}

func (b *browser) press(name string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(`button[data-do="` + name + `"]`)))
}

// choose sets one of the timeline's selects.
func (b *browser) choose(id, value string) {
	b.t.Helper()
	b.Do(chromedp.SetValue(chromedp.ID(id), value))
	chromium.Eval[bool](b.Browser, `document.getElementById("`+id+`").dispatchEvent(new Event("change"))`)
}

// key types into the lanes, and returns what the event states that is selected then.
func (b *browser) key(keys string) string {
	b.t.Helper()
	b.Do(chromedp.SendKeys(chromedp.ID("tl-frame"), keys))
	b.Drawn()
	return b.Text(`document.getElementById("tl-detail").textContent`)
}

var rangeText = regexp.MustCompile(`^(\d+) objects?, events (\d+) to (\d+) of (\d+)$`)

// shown is what the timeline states that it shows.
func (b *browser) shown() (objects, from, to, of int) {
	b.t.Helper()
	b.Drawn()
	text := b.Text(`document.getElementById("tl-range").textContent`)
	m := rangeText.FindStringSubmatch(text)
	if m == nil {
		b.t.Fatalf("the timeline shows %q", text)
	}
	number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
	return number(1), number(2), number(3), number(4)
}

// writeReport runs tracecheck with an HTML report in a file, whose name it
// returns.
func writeReport(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	status, _, stderr := tryRun(t.Context(), strings.NewReader(""), append(args, "-o", "html="+file)...)
	if status == statusUsage {
		t.Fatal(stderr)
	}
	return file
}

func scaleReport(t *testing.T) string {
	return writeReport(t, "validate", "-q", "--profile", "spec", "../../testdata/traces/scale.jsonl")
}

func TestChromiumTimeline(t *testing.T) {
	b := newBrowser(t)
	b.open(scaleReport(t), 1280, 900)

	// It begins at the violation, with its objects and what belongs to them.
	objects, from, to, of := b.shown()
	if said := b.Text(`document.getElementById("tl-detail").textContent`); !strings.Contains(said, "scale.jsonl:132") || !strings.Contains(said, "✗ VIOLATION swarmkit: transition Next") {
		t.Errorf("the violation's event states %q", said)
	}
	if objects != 6 || from >= 131 || to <= 131 || of != 537 { // the service and its five tasks; meta is not an event
		t.Errorf("shows %d objects, events %d to %d of %d", objects, from, to, of)
	}

	b.press("fit")
	if _, from, to, _ := b.shown(); from != 1 || to < 537 {
		t.Errorf("all of it is %d to %d", from, to)
	}
	b.press("in")
	_, from, to, _ = b.shown()
	if n := to - from; n > 290 || n < 200 {
		t.Errorf("zoomed in, it shows %d to %d", from, to)
	}
	b.press("right")
	if _, later, _, _ := b.shown(); later <= from {
		t.Errorf("moved on from %d, it shows from %d", from, later)
	}
	b.press("out")
	if _, _, far, _ := b.shown(); far < 537 {
		t.Errorf("zoomed out, it ends at %d", far)
	}

	// The wheel zooms with Ctrl, and only so.
	b.press("fit")
	// place is a point of the second lane, wherever the page is scrolled to.
	place := func() (x, y float64) {
		t.Helper()
		b.Do(chromedp.ScrollIntoView(chromedp.ID("tl-frame")))
		const box = `document.getElementById("tl-lanes").getBoundingClientRect()`
		return chromium.Eval[float64](b.Browser, box+".left") + 600, chromium.Eval[float64](b.Browser, box+".top") + 36
	}
	wheel := func(modifiers int64) {
		x, y := place()
		chromium.Call(b.Browser, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: 0.001, DeltaY: -50, Modifiers: modifiers})
	}
	wheel(0)
	if _, from, to, _ := b.shown(); to-from < 530 {
		t.Errorf("the wheel alone zooms to %d to %d", from, to)
	}
	const ctrl = 2
	wheel(ctrl)
	if _, from, to, _ := b.shown(); to-from > 400 {
		t.Errorf("the wheel with Ctrl leaves it at %d to %d", from, to)
	}

	// Two fingers, apart.
	b.press("fit")
	chromium.Call(b.Browser, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 2})
	x, y := place()
	touch := func(kind input.DispatchTouchEventType, gaps ...float64) {
		points := []*input.TouchPoint{}
		for _, gap := range gaps {
			one, two := 1.0, 2.0
			points = append(points, &input.TouchPoint{X: x - gap, Y: y, ID: &one}, &input.TouchPoint{X: x + gap, Y: y, ID: &two})
		}
		chromium.Call(b.Browser, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	touch(input.DispatchTouchEventTypeTouchStart, 40)
	touch(input.DispatchTouchEventTypeTouchMove, 70)
	touch(input.DispatchTouchEventTypeTouchMove, 120)
	touch(input.DispatchTouchEventTypeTouchEnd)
	if _, from, to, _ := b.shown(); to-from > 300 {
		t.Errorf("two fingers leave it at %d to %d", from, to)
	}
	chromium.Call(b.Browser, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{})

	// What is pointed at states its event: here a task of the service.
	b.press("fit")
	x, y = place()
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	b.Drawn()
	if tip := b.Text(`document.getElementById("tl-tip").hidden ? "" : document.getElementById("tl-tip").textContent`); !regexp.MustCompile(`^\S*scale\.jsonl:\d+ .* task \w+, now `).MatchString(tip) {
		t.Errorf("the tip states %q", tip)
	}

	// The keys go from event to event and from object to object.
	violation := b.key("v")
	if !strings.Contains(violation, "✗ VIOLATION") {
		t.Errorf("v leads to %q", violation)
	}
	before := b.key(kb.ArrowLeft)
	if !strings.Contains(before, ":94 ") || !strings.Contains(before, "update service") {
		t.Errorf("before it is %q", before)
	}
	if below := b.key(kb.ArrowDown); !strings.Contains(below, " task ") {
		t.Errorf("below it is %q", below)
	}

	// All objects, those of a name, and by time.
	b.choose("tl-show", "all")
	all, _, _, _ := b.shown()
	if all < 50 {
		t.Errorf("all are %d objects", all)
	}
	b.Do(chromedp.SendKeys(chromedp.ID("tl-find"), "node"))
	if found, _, _, _ := b.shown(); found < 1 || found >= all {
		t.Errorf("%d objects are found", found)
	}
	b.choose("tl-scale", "t")
	b.Drawn()
	if text := b.Text(`document.getElementById("tl-range").textContent`); !regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{3} to \d\d:\d\d:\d\d\.\d{3}$`).MatchString(text) {
		t.Errorf("by time it shows %q", text)
	}
	b.Complained()
}

// A report can be read on a phone and on paper, in the dark, and without scripts.
func TestChromiumReaders(t *testing.T) {
	b := newBrowser(t)
	reports := map[string]string{
		"scale":    scaleReport(t),
		"jobbug":   writeReport(t, "validate", "-q", "../../testdata/traces/jobbug.jsonl.gz"),
		"mixed":    writeReport(t, "validate", "-q", "-k", "../../testdata/traces/mixed.jsonl"),
		"conforms": writeReport(t, "validate", "-q", "../../testdata/traces/orphan.jsonl.gz"),
		"coverage": writeReport(t, "coverage", "--min", "99", "../../testdata/traces/scale.jsonl", "../../testdata/traces/mixed.jsonl"),
	}
	for name, file := range reports {
		for _, width := range []int64{320, 390, 1280} {
			b.open(file, width, 844)
			b.Fits(fmt.Sprintf("%s at %d", name, width))
			chromium.Eval[int](b.Browser, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
			b.Fits(fmt.Sprintf("%s at %d, opened", name, width))
		}
	}
	const back = `getComputedStyle(document.body).backgroundColor`
	b.open(reports["scale"], 1280, 900)
	b.Media("", "light")
	light := b.Text(back)
	b.Media("", "dark")
	if dark := b.Text(back); dark == light {
		t.Errorf("light or dark, the page is %s", dark)
	}
	b.Media("print", "dark")
	if shown := b.Text(`getComputedStyle(document.getElementById("timeline")).display + " " + document.querySelectorAll(".strip li").length`); shown != "none 3" {
		t.Errorf("on paper the timeline and the service's three events are %q", shown)
	}
	if paper := b.Text(back); paper != "rgb(255, 255, 255)" {
		t.Errorf("paper is %s", paper)
	}
	pdf, err := chromedp.Run(b, chromedp.PrintToPDF())
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF") || len(pdf) < 10_000 {
		t.Errorf("printed, it has %d bytes (%v)", len(pdf), err)
	}
	b.Complained()

	chromium.Call(b.Browser, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Do(chromedp.Navigate("file://" + reports["scale"]))
	nodes, err := chromedp.Run(b, chromedp.Nodes(chromedp.CSSAll(".verdict, .near, .strip, .lines, .history")))
	if err != nil || len(nodes) != 5 { // of each one
		t.Errorf("without scripts the page has %d of its 5 parts (%v)", len(nodes), err)
	}
}

// Ids, states, actors and file names that are scripts do not run.
func TestChromiumHostileTrace(t *testing.T) {
	b := newBrowser(t)
	const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>`
	trace := filepath.Join(t.TempDir(), `<img src=x onerror=alert(3)>.jsonl`)
	lines := fmt.Sprintf(`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"service","op":"create","id":%[1]q,"object":{"replicas":1,"remove":false}}
{"kind":"task","op":"create","id":%[1]q,"actor":%[1]q,"object":{"service":%[1]q,"slot":1,"node":"","state":%[1]q,"desired_state":"running","note":%[1]q}}
`, evil)
	if err := os.WriteFile(trace, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	b.open(writeReport(t, "validate", "-q", "-k", trace), 390, 844)
	b.Fits("the page")
	if said := b.key("v"); !strings.Contains(said, "onerror=alert(2)") {
		t.Errorf("the event states %q", said)
	}
	b.press("fit")
	b.Drawn()
	if images := b.Text(`document.images.length`); images != "0" {
		t.Errorf("%s images", images)
	}
	b.Complained()
}

// A trace of 100,000 events is all there, and a longer one is bounded.
func TestChromiumManyEvents(t *testing.T) {
	b := newBrowser(t)
	const tasks = 20_000
	trace := filepath.Join(t.TempDir(), "many.jsonl")
	var lines strings.Builder
	lines.WriteString(`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}` + "\n")
	fmt.Fprintf(&lines, `{"kind":"service","op":"create","id":"web","object":{"replicas":%d,"remove":false}}`+"\n", tasks)
	for i := 1; i <= tasks; i++ {
		id := fmt.Sprintf("t%05d", i)
		fmt.Fprintf(&lines, `{"kind":"task","op":"create","id":%q,"object":{"service":"web","slot":%d,"node":"","state":"new","desired_state":"running"}}`+"\n", id, i)
		for _, change := range []string{`"state":"pending"`, `"state":"assigned","node":"n1"`, `"state":"accepted"`, `"state":"preparing"`} {
			fmt.Fprintf(&lines, `{"kind":"task","op":"update","id":%q,"object":{%s}}`+"\n", id, change)
		}
	}
	lines.WriteString(`{"kind":"task","op":"update","id":"t00500","object":{"state":"complete"}}` + "\n")
	if err := os.WriteFile(trace, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	file := writeReport(t, "validate", "-q", trace)
	if info, err := os.Stat(file); err != nil || info.Size() > 15e6 {
		t.Errorf("the report has %d bytes (%v)", info.Size(), err)
	}
	b.open(file, 1280, 900)
	if objects, _, to, of := b.shown(); objects != 2 || of != 5*tasks+3 || to != of { // task and service
		t.Errorf("shows %d objects to event %d of %d", objects, to, of)
	}
	b.choose("tl-show", "all")
	b.press("fit")
	if objects, from, to, _ := b.shown(); objects != tasks+2 || from != 1 || to < 5*tasks {
		t.Errorf("shows %d objects, events %d to %d", objects, from, to)
	}
	if said := b.key("v"); !strings.Contains(said, "many.jsonl:100003") || !strings.Contains(said, "task t00500") {
		t.Errorf("the violation's event states %q", said)
	}
	if top := b.Text(`document.getElementById("tl-frame").scrollTop`); top == "0" {
		t.Error("its lane, the 501st, is not scrolled to")
	}
	b.Complained()
}
