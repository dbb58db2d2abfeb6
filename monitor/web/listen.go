package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"go.uber.org/zap"
	"golang.org/x/net/netutil"
)

// DefaultAddress is the default address of the web page.
const DefaultAddress = "127.0.0.1:9464"

// Bounds on connections and requests. A page is small; the stream of /events sets
// its own times.
const (
	mostConnections = 256 // further ones wait
	mostAtOnce      = 16  // requests of one connection, in HTTP/2
	headerTime      = 5 * time.Second
	readTime        = 10 * time.Second
	writeTime       = 30 * time.Second
	idleTime        = time.Minute
	endTime         = 5 * time.Second // for requests in progress at the end
	mostHeader      = 64 << 10
)

// Check returns an error if the address is invalid, or if other machines can reach
// it and allowRemote is false.
func Check(addr string, allowRemote bool) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: expected an address and a port, such as %s", addr, DefaultAddress)
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return fmt.Errorf("cannot listen on %q: %q is not a port", addr, port)
	}
	if allowRemote || strings.EqualFold(host, "localhost") {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return nil
	}
	what := fmt.Sprintf("%q can be reached from other machines", addr)
	if host == "" {
		what = fmt.Sprintf("%q is on all of this machine's addresses", addr)
	}
	return fmt.Errorf("%s, and the page shows data of the streams: listen on 127.0.0.1:%s, or allow remote readers", what, port)
}

// Listen opens the address if Check allows it.
func Listen(ctx context.Context, addr string, allowRemote bool) (net.Listener, error) {
	if err := Check(addr, allowRemote); err != nil {
		return nil, err
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve the monitor's page: %w", err)
	}
	// The system's resolver resolves names.
	if at, ok := l.Addr().(*net.TCPAddr); ok && !allowRemote && !at.IP.IsLoopback() {
		l.Close()
		return nil, Check(at.String(), false)
	}
	return l, nil
}

// Serve answers requests until ctx ends, with TLS and a login if the file has them. It
// then waits for requests in progress, closes the listener and returns nil. log may be nil.
func (a Access) Serve(ctx context.Context, l net.Listener, h http.Handler, log *zap.Logger) error {
	if log == nil {
		log = zap.NewNop()
	}
	open, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: mostHeader, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: mostAtOnce}, BaseContext: func(net.Listener) context.Context { return open },
		ErrorLog: zap.NewStdLog(log),
	}
	s.RegisterOnShutdown(end) // end the open /events
	done := make(chan error, 1)
	go func() { done <- a.serve(netutil.LimitListener(l, mostConnections), s, log) }()
	select {
	case err := <-done:
		return fmt.Errorf("the web server on %s stopped: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := s.Shutdown(wait); err != nil {
		s.Close()
	}
	<-done
	return nil
}
