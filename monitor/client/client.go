// Package client queries a running monitor over its web server.
package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/files"
	"tracecheck/monitor/web"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 4 << 20

// Access has the settings of the connection to a monitor.
type Access struct {
	CA         string // a PEM file; "": the system's authorities
	Cert, Key  string // PEM files, or neither
	ServerName string
	User       string
	Password   string // the file with the password
}

// Flags returns the flags that set the access.
func (a *Access) Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ca", Destination: &a.CA, Usage: "for https, trust the authorities in the PEM `FILE`", DefaultText: "the system's"},
		&cli.StringFlag{Name: "server-name", Destination: &a.ServerName, Usage: "for https, require a server certificate for `NAME`", DefaultText: "the URL's host"},
		&cli.StringFlag{Name: "cert", Destination: &a.Cert, Usage: "for https, send the client certificate in the PEM `FILE`", DefaultText: "none"},
		&cli.StringFlag{Name: "key", Destination: &a.Key, Usage: "read the key of the client certificate from the PEM `FILE`"},
		&cli.StringFlag{Name: "user", Destination: &a.User, Usage: "log in as `NAME`", DefaultText: "no login"},
		&cli.StringFlag{Name: "password-file", Destination: &a.Password, Usage: "read the password from `FILE`"},
	}
}

// Client queries one monitor.
type Client struct {
	base     *url.URL
	http     *http.Client
	user     string
	password string
}

// Open returns a client of the monitor at HOST:PORT or at a URL; "" is the default address.
// It does not connect. warn gets warnings about unsafe settings.
func (a *Access) Open(addr string, warn func(string)) (*Client, error) {
	base, err := baseURL(addr)
	if err != nil {
		return nil, err
	}
	if base.User != nil {
		warn("all users of this machine can read the login on the command line: use --user and --password-file")
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{ServerName: a.ServerName}
	c := &Client{base: base, http: &http.Client{Transport: t}, user: a.User}
	switch {
	case base.Scheme != "https" && (a.CA != "" || a.Cert != "" || a.Key != "" || a.ServerName != ""):
		return nil, errors.New("--ca, --server-name, --cert and --key are for https: name the monitor by a URL, such as https://localhost:9464")
	case (a.Cert == "") != (a.Key == ""):
		return nil, errors.New("a client certificate needs both --cert and --key")
	case (a.User == "") != (a.Password == ""):
		return nil, errors.New("a login needs both --user and --password-file")
	}
	if a.CA != "" {
		if t.TLSClientConfig.RootCAs, err = files.Authorities(a.CA); err != nil {
			return nil, err
		}
	}
	if a.Cert != "" {
		pair, err := files.KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, fmt.Errorf("cannot use the client certificate: %w", err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	if a.User != "" {
		if c.password, err = files.ReadSecret(a.Password, "password"); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// baseURL returns the address of the page.
func baseURL(addr string) (*url.URL, error) {
	bare := !strings.Contains(addr, "://")
	switch {
	case addr == "":
		addr = "http://" + web.DefaultAddress
	case bare:
		addr = "http://" + addr
	}
	u, err := url.Parse(addr)
	if err == nil && u.Port() == "" && bare {
		_, port, _ := strings.Cut(web.DefaultAddress, ":")
		u.Host += ":" + port
	}
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not an address: expected HOST:PORT, such as %s", addr, web.DefaultAddress)
	}
	return u, nil
}

// Address returns the monitor's address, without secrets.
func (c *Client) Address() string { return c.base.Redacted() }

// Get requests a path, such as "api/overview", with a query or "". parse gets the body of
// the answer. If parse fails, the error is that the address does not serve what.
func (c *Client) Get(ctx context.Context, path, query, what string, parse func(body []byte) error) error {
	to := c.base.JoinPath(path)
	to.RawQuery = query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return err
	}
	if c.user != "" {
		request.SetBasicAuth(c.user, c.password)
	}
	answer, err := c.http.Do(request)
	if _, unknown := errors.AsType[*net.DNSError](err); unknown || errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("no answer: %w: start the monitor, or give the address of its page", err)
	}
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	switch err := parse(body); {
	case answer.StatusCode == http.StatusUnauthorized:
		return errors.New("the monitor requires another login: check --user and --password-file")
	case answer.StatusCode == http.StatusBadRequest && to.Scheme == "http":
		return fmt.Errorf("%s answers %s: it may require https", to.Redacted(), answer.Status)
	case err != nil:
		return fmt.Errorf("%s answers %s: this is not a monitor's %s", to.Redacted(), answer.Status, what)
	}
	return nil
}
