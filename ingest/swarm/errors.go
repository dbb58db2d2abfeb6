package swarm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
)

const whereSocket = "a manager's engine has it at swarm/control.sock in its exec root, by default " + DefaultSocket

// checkSocket finds common problems of the socket, for clear errors.
func checkSocket(socket string) error {
	info, err := os.Stat(socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no control socket at %s: run this on a swarm manager with a running engine, or name its socket (%s)", socket, whereSocket)
	case err == nil && info.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("%s is not a socket: name the manager's control socket (%s)", socket, whereSocket)
	}
	if err == nil {
		var conn net.Conn
		if conn, err = net.Dial("unix", socket); err == nil {
			return conn.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("permission denied at %s: run this as root, for example with sudo", socket)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("no process listens at %s: start the engine, and check that its node is a manager", socket)
	}
	return fmt.Errorf("cannot use the control socket: %w", err)
}

// explain returns the meaning of an error of the first call.
func explain(socket string, err error) error {
	code, why := codeOf(err), message(err)
	switch {
	case errors.Is(err, errNoCluster):
		return fmt.Errorf("%w: %s is not ready; try again", err, socket)
	case code == codeUnimplemented, errors.Is(err, errHandshake):
		return fmt.Errorf("%s is not a swarm manager's control socket (%s): %s", socket, why, whereSocket)
	case code == codeDeadlineExceeded, errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the manager at %s does not answer: check that the swarm has a leader", socket)
	}
	return fmt.Errorf("the manager at %s cannot answer (%s): check that the node is a manager and the swarm has a leader, with docker node ls", socket, why)
}
