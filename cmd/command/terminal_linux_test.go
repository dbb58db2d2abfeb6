package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// terminal is documented at TestScripts.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: terminal COMMAND…")
	}
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	ts.Check(err)
	defer ptmx.Close()
	fd := int(ptmx.Fd())
	ts.Check(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	ts.Check(err)
	ts.Check(unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 72}))
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	ts.Check(err)

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
