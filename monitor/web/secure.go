package web

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"go.uber.org/zap"
	limiter "golang.org/x/time/rate"
)

// Access is the TLS and login configuration of the page, from a file in the format
// of Prometheus' web configuration. The zero value is plain HTTP without a login.
type Access struct {
	File  string
	TLS   bool
	Login bool // there are users with passwords
}

// ReadAccess checks the file and the files that it names. The server reads them
// again for each connection, so they can be replaced at any time.
func ReadAccess(file string) (Access, error) {
	if file == "" {
		return Access{}, nil
	}
	a, err := readAccessFile(file)
	if err != nil {
		return Access{}, err
	}
	config, err := a.tls()
	if err != nil {
		return Access{}, err
	}
	return Access{File: file, TLS: config != nil, Login: len(a.Users) > 0}, nil
}

// Scheme is the scheme of the page's URL.
func (a Access) Scheme() string {
	if a.TLS {
		return "https"
	}
	return "http"
}

// serve answers on the listener until the server ends.
func (a Access) serve(l net.Listener, s *http.Server, log *zap.Logger) error {
	if a.File == "" {
		return s.Serve(l)
	}
	file, err := readAccessFile(a.File)
	if err != nil {
		return err
	}
	config, err := file.tls()
	if err != nil {
		return err
	}
	check := &login{file: a.File, next: s.Handler, log: log, right: map[[sha256.Size]byte]bool{}}
	if file.Rate.Interval != 0 {
		check.limit = limiter.NewLimiter(limiter.Every(file.Rate.Interval), file.Rate.Burst)
	}
	s.Handler = check
	if config == nil {
		return s.Serve(l)
	}
	protocols := []string{"h2", "http/1.1"}
	if !file.HTTP.HTTP2 {
		protocols = protocols[1:]
		s.Protocols = new(http.Protocols)
		s.Protocols.SetHTTP1(true)
	}
	s.TLSConfig = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return reread(a.File, protocols)
	}}
	return s.ServeTLS(l, "", "")
}

// reread is the TLS configuration for one more connection.
func reread(file string, protocols []string) (*tls.Config, error) {
	a, err := readAccessFile(file)
	if err != nil {
		return nil, err
	}
	config, err := a.tls()
	switch {
	case err != nil:
		return nil, err
	case config == nil:
		return nil, fmt.Errorf("%s has no certificate any more", file)
	}
	config.NextProtos = protocols
	return config, nil
}
