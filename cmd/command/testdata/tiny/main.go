// Command tiny is what the containers of the tests run: it lives for so many
// milliseconds and exits with a code.
package main

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	life, _ := strconv.Atoi(os.Args[1])
	code, _ := strconv.Atoi(os.Args[2])
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	select {
	case <-stop:
	case <-time.After(time.Duration(life) * time.Millisecond):
		os.Exit(code)
	}
}
