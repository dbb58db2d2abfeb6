package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// terminal is documented at TestScripts.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: terminal COMMAND…")
	}
	ptmx, tty, err := openTerminal(columns)
	ts.Check(err)
	defer ptmx.Close()
	cmd := started(ts, args[0], args[1:])
	cmd.Stdout, cmd.Stderr = tty, tty
	ts.Check(cmd.Start())
	ts.Check(tty.Close())
	var screen bytes.Buffer
	if _, err := io.Copy(&screen, ptmx); err != nil && !errors.Is(err, unix.EIO) /* the other side is closed */ {
		ts.Check(err)
	}
	code := exitStatus(ts, cmd.Wait())
	text := bytes.ReplaceAll(screen.Bytes(), []byte("\r\n"), []byte("\n"))
	ts.Check(os.WriteFile(ts.MkAbs("screen"), text, 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("exit"), []byte(strconv.Itoa(code)+"\n"), 0o666))
}

// columns is the width of a terminal whose width does not matter.
const columns = 72

// openTerminal returns both sides of a terminal with 24 rows.
func openTerminal(width uint16) (ptmx, tty *os.File, err error) {
	if ptmx, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	fd := int(ptmx.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width})); err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	return ptmx, tty, err
}

// onScreen starts the command in a terminal. What it shows is in screen.
func onScreen(t *testing.T, width uint16, cmd *exec.Cmd) (keys io.Writer, screen *output) {
	t.Helper()
	ptmx, tty, err := openTerminal(width)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ptmx.Close() })
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	screen = &output{}
	go io.Copy(screen, ptmx) // until the other side is closed
	return ptmx, screen
}

// Where a terminal shows the alerts, they are in words.
func TestMonitorAlertsInWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(begin("a", "s"), begin("a", "s"))
	cmd := exec.Command(d.bin, "monitor", "--follow", d.path("log"), "--spec", "swarmkit", "--no-checkpoint", "--listen", "none")
	_, screen := onScreen(t, columns, cmd)
	d.wait("the alert", func() bool { return strings.Contains(screen.String(), "VIOLATION") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text := screen.String()
	heading := regexp.MustCompile(`(?m)Z  VIOLATION  swarmkit Next  ` + regexp.QuoteMeta(d.path("log")) + `:2, stream "a", id [0-9a-f]{24}\r?$`) // the page is at /violation/ID
	if !heading.MatchString(text) || !strings.Contains(text, "service s") || strings.Contains(text, `{"id":`) {
		t.Errorf("the terminal shows\n%s", text)
	}
}

// top shows the monitor in the terminal until q is pressed, or a signal comes, and leaves
// the terminal as it was.
func TestTop(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(begin("a", "s"), begin("a", "s"))
	p := d.follow()
	d.caughtUp(p)
	for _, end := range []string{"q", "\x03", "SIGTERM"} {
		cmd := exec.Command(d.bin, "top", "--every", "10ms", p.url)
		keys, screen := onScreen(t, columns, cmd)
		const clear = "\x1b[H"
		d.wait("the second picture", func() bool { return strings.Count(screen.String(), clear) > 1 })
		if end == "SIGTERM" {
			cmd.Process.Signal(syscall.SIGTERM)
		} else if _, err := io.WriteString(keys, end); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", end, err)
		}
		const leave = "\x1b[?25h\x1b[?1049l"
		d.wait("the terminal as it was", func() bool { return strings.HasSuffix(screen.String(), leave) })
		for _, want := range []string{"1 stream at fault", "swarmkit Next", "service s", "1 violation", "q quits"} {
			if !strings.Contains(screen.String(), want) {
				t.Errorf("it does not show %q:\n%s", want, screen.String())
			}
		}
		for picture := range strings.SplitSeq(screen.String(), clear) {
			for i, line := range strings.Split(picture, "\r\n") {
				line = strings.NewReplacer("\x1b[K", "", "\x1b[J", "", leave, "", "\x1b[?1049h", "", "\x1b[?25l", "").Replace(line)
				if n := len([]rune(line)); n > columns || i >= 24 {
					t.Errorf("line %d has %d characters in a terminal of 24 rows and %d columns: %q", i+1, n, columns, line)
				}
			}
		}
	}

	// A monitor that goes away is named as such, and looked for again.
	cmd := exec.Command(d.bin, "top", "--every", "10ms", p.url)
	keys, screen := onScreen(t, columns, cmd)
	d.wait("a picture", func() bool { return strings.Contains(screen.String(), "q quits") })
	d.stop(p)
	d.wait("that it does not answer", func() bool { return strings.Contains(screen.String(), "no answer") })
	if _, err := io.WriteString(keys, "q"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}

	// Where there is no terminal, it is text, once.
	p = d.follow()
	d.caughtUp(p)
	text, err := exec.Command(d.bin, "top", p.url).CombinedOutput()
	if err != nil || strings.Contains(string(text), "\x1b") || !strings.Contains(string(text), "1 stream at fault") || !strings.Contains(string(text), "service s") {
		t.Errorf("%v: %s", err, text)
	}
	d.stop(p)
	text, err = exec.Command(d.bin, "top", "--once", p.url).CombinedOutput()
	if cmd, ok := err.(*exec.ExitError); !ok || cmd.ExitCode() != 2 || !strings.HasPrefix(string(text), "tracecheck: no answer: ") {
		t.Errorf("%v: %s", err, text)
	}
}

// While a trace is judged, a terminal of any width shows on one line how fast, and what was found.
// A narrow one shows what fits.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	file := d.write("long", strings.Repeat(begin("a", "s")+"\n", 300_000)) // the second line creates what there is
	const found = `  [\d,]+ violations`
	const most = ` [KMG]?i?B/s  [\d,]+ events/s` + found + `(  .* left)?$`
	for width, want := range map[uint16]string{
		0: most /* it is not known */, 200: `^judging  \[=* *\]  \d+%  .* of .*` + most, columns: `^judging  \d+%  .*` + most,
		50: `^judging  .*` + found + `$`, 12: `^judging  (\d%|.*…)$`, 1: `^…$`,
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(d.bin, "validate", "--spec", "swarmkit", "--keep-going", file)
			_, screen := onScreen(t, width, cmd)
			const again = "\r\x1b[K"
			d.wait("a picture like "+want, func() bool {
				return slices.ContainsFunc(strings.Split(screen.String(), again)[1:], regexp.MustCompile(want).MatchString)
			})
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait() // the error is that it was killed

			early := regexp.MustCompile(strings.ReplaceAll(want, found, "("+found+")?")) // before a violation is found
			pictures := strings.Split(screen.String(), again)[1:]
			for i, picture := range pictures {
				n, whole := len([]rune(picture)), i < len(pictures)-1
				if whole && !early.MatchString(picture) || n >= max(int(cmp.Or(width, 80)), 2) {
					t.Errorf("the line has %d characters: %q, want %s", n, picture, early)
				}
			}
		})
	}
}
