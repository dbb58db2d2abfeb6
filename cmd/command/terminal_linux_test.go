package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	ptmx, tty, err := openTerminal()
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

// openTerminal returns both sides of a terminal with 24 rows and 72 columns.
func openTerminal() (ptmx, tty *os.File, err error) {
	if ptmx, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	fd := int(ptmx.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 72})); err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	return ptmx, tty, err
}

// onScreen starts the command in a terminal. What it shows is in screen.
func onScreen(t *testing.T, cmd *exec.Cmd) (keys io.Writer, screen *output) {
	t.Helper()
	ptmx, tty, err := openTerminal()
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
	_, screen := onScreen(t, cmd)
	d.wait("the alert", func() bool { return strings.Contains(screen.String(), "VIOLATION") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text := screen.String()
	if !strings.Contains(text, `Z  VIOLATION  swarmkit Next  `+d.path("log")+`:2, stream "a"`) || !strings.Contains(text, "service s") || strings.Contains(text, `{"id":`) {
		t.Errorf("the terminal shows\n%s", text)
	}
}
