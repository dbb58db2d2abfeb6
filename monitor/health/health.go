// Package health asks a running monitor how it is.
package health

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"tracecheck/internal/files"
	"tracecheck/monitor/web"
)

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 1 << 20

// Question is what is asked, and how.
type Question struct {
	Ready      bool   // is it ready, too
	CA         string // a PEM file; "": the system's authorities
	Cert, Key  string // PEM files, or neither
	ServerName string
	User       string
	Password   string // the file that it is in
}

// Ask asks the monitor at HOST:PORT or at a URL; "" is the default address. It returns the
// reasons why the monitor is unwell, or well. warn is called with what may be unsafe.
func (q *Question) Ask(ctx context.Context, addr string, warn func(string)) (well bool, reasons []string, err error) {
	to, err := q.url(addr)
	if err != nil {
		return false, nil, err
	}
	if to.User != nil {
		warn("all users of this machine can read the login on the command line: use --user and --password-file")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return false, nil, err
	}
	client, err := q.client(request)
	if err != nil {
		return false, nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, nil, fmt.Errorf("no answer: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return false, nil, fmt.Errorf("no answer: %w", err)
	}
	var said struct {
		OK      *bool
		Reasons []string
	}
	switch err := json.Unmarshal(body, &said); {
	case answer.StatusCode == http.StatusUnauthorized:
		return false, nil, errors.New("the monitor wants another login: check --user and --password-file")
	case answer.StatusCode == http.StatusBadRequest && request.URL.Scheme == "http":
		return false, nil, fmt.Errorf("%s answers %s: it may want https", to.Redacted(), answer.Status)
	case err != nil || said.OK == nil:
		return false, nil, fmt.Errorf("%s answers %s: this is no monitor's health", to.Redacted(), answer.Status)
	}
	return *said.OK, said.Reasons, nil
}

// client is how to ask; it puts the login into the request.
func (q *Question) client(request *http.Request) (*http.Client, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{ServerName: q.ServerName}
	switch {
	case request.URL.Scheme != "https" && (q.CA != "" || q.Cert != "" || q.Key != "" || q.ServerName != ""):
		return nil, errors.New("--ca, --server-name, --cert and --key are for https: name the monitor by a URL, such as https://localhost:9464")
	case (q.Cert == "") != (q.Key == ""):
		return nil, errors.New("a client certificate needs both --cert and --key")
	case (q.User == "") != (q.Password == ""):
		return nil, errors.New("a login needs both --user and --password-file")
	}
	var err error
	if q.CA != "" {
		if t.TLSClientConfig.RootCAs, err = files.Authorities(q.CA); err != nil {
			return nil, err
		}
	}
	if q.Cert != "" {
		pair, err := files.KeyPair(q.Cert, q.Key)
		if err != nil {
			return nil, fmt.Errorf("cannot use the client certificate: %w", err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	if q.User != "" {
		password, err := files.ReadSecret(q.Password, "password")
		if err != nil {
			return nil, err
		}
		request.SetBasicAuth(q.User, password)
	}
	return &http.Client{Transport: t}, nil
}

// url is what to ask.
func (q *Question) url(addr string) (*url.URL, error) {
	switch {
	case addr == "":
		addr = "http://" + web.DefaultAddress
	case !strings.Contains(addr, "://"):
		addr = "http://" + addr
	}
	u, err := url.Parse(addr)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is no address: want HOST:PORT, such as %s", addr, web.DefaultAddress)
	}
	path := "healthz"
	if q.Ready {
		path = "readyz"
	}
	return u.JoinPath(path), nil
}
