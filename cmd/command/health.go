package command

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
	"time"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/files"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/config"
)

// maxHealth is how much of an answer is read, in bytes.
const maxHealth = 1 << 20

// healthSettings are the flags of health.
type healthSettings struct {
	ready      bool
	timeout    flagvalue.Duration
	ca         string
	cert, key  string // PEM files, or neither
	serverName string
	user       string
	password   string // the file that it is in
}

func healthCommand(env console.Environment) *cli.Command {
	s := &healthSettings{timeout: flagvalue.Duration(5 * time.Second)}
	return &cli.Command{
		Name:      "health",
		Usage:     "ask a running monitor for its health",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is where the monitor listens, " + config.DefaultListen + " unless another is named; or a URL, of https where the monitor has --web-config. This is for\n" +
			"what has no other client, such as the health check of a container.\n\n" +
			"Exit status: 0 well, 1 unwell, 2 wrong usage or no answer.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ready", Destination: &s.ready, Usage: "is it ready, too: does it judge all of its parts, with checkpoints in time?", DisableDefaultText: true},
			&cli.GenericFlag{Name: "timeout", Value: &s.timeout, Usage: "wait for the answer for `DURATION`"},
			&cli.StringFlag{Name: "ca", Destination: &s.ca, Usage: "of https, believe the authorities in the PEM `FILE`", DefaultText: "the system's"},
			&cli.StringFlag{Name: "server-name", Destination: &s.serverName, Usage: "there, want a certificate for `NAME`", DefaultText: "the URL's host"},
			&cli.StringFlag{Name: "cert", Destination: &s.cert, Usage: "there, show the certificate in the PEM `FILE`", DefaultText: "none"},
			&cli.StringFlag{Name: "key", Destination: &s.key, Usage: "its key is in the PEM `FILE`"},
			&cli.StringFlag{Name: "user", Destination: &s.user, Usage: "log in as `NAME`", DefaultText: "no login"},
			&cli.StringFlag{Name: "password-file", Destination: &s.password, Usage: "the password is in `FILE`"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return errors.New("want one monitor to ask")
			}
			return s.run(c.Context, env, c.Args().First())
		},
	}
}

func (s *healthSettings) run(ctx context.Context, env console.Environment, addr string) error {
	to, err := s.url(addr)
	if err != nil {
		return err
	}
	if to.User != nil {
		console.NewLogger(env.Stderr, false).Warn("all users of this machine can read the login on the command line: use --user and --password-file")
	}
	ask := to.Redacted()
	ctx, cancel := flagvalue.Limited(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return err
	}
	client, err := s.client(request)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxHealth))
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	var health struct {
		OK      *bool
		Reasons []string
	}
	switch err := json.Unmarshal(body, &health); {
	case answer.StatusCode == http.StatusUnauthorized:
		return errors.New("the monitor wants another login: check --user and --password-file")
	case answer.StatusCode == http.StatusBadRequest && request.URL.Scheme == "http":
		return fmt.Errorf("%s answers %s: it may want https", ask, answer.Status)
	case err != nil || health.OK == nil:
		return fmt.Errorf("%s answers %s: this is no monitor's health", ask, answer.Status)
	case !*health.OK:
		if err := printLines(env.Stdout, append([]string{"unwell"}, health.Reasons...)...); err != nil {
			return err
		}
		return verdictStatus(1)
	}
	return printLines(env.Stdout, "well")
}

// client is how to ask; it puts the login into the request.
func (s *healthSettings) client(request *http.Request) (*http.Client, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{ServerName: s.serverName}
	switch {
	case request.URL.Scheme != "https" && (s.ca != "" || s.cert != "" || s.key != "" || s.serverName != ""):
		return nil, errors.New("--ca, --server-name, --cert and --key are for https: name the monitor by a URL, such as https://localhost:9464")
	case (s.cert == "") != (s.key == ""):
		return nil, errors.New("a client certificate needs both --cert and --key")
	case (s.user == "") != (s.password == ""):
		return nil, errors.New("a login needs both --user and --password-file")
	}
	var err error
	if s.ca != "" {
		if t.TLSClientConfig.RootCAs, err = files.Authorities(s.ca); err != nil {
			return nil, err
		}
	}
	if s.cert != "" {
		pair, err := files.KeyPair(s.cert, s.key)
		if err != nil {
			return nil, fmt.Errorf("cannot use the client certificate: %w", err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	if s.user != "" {
		password, err := files.ReadSecret(s.password, "password")
		if err != nil {
			return nil, err
		}
		request.SetBasicAuth(s.user, password)
	}
	return &http.Client{Transport: t}, nil
}

// url is what to ask.
func (s *healthSettings) url(addr string) (*url.URL, error) {
	switch {
	case addr == "":
		addr = "http://" + config.DefaultListen
	case !strings.Contains(addr, "://"):
		addr = "http://" + addr
	}
	u, err := url.Parse(addr)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is no address: want HOST:PORT, such as %s", addr, config.DefaultListen)
	}
	path := "healthz"
	if s.ready {
		path = "readyz"
	}
	return u.JoinPath(path), nil
}
