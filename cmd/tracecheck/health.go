package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// maxHealth is how much of an answer is read, in bytes.
const maxHealth = 1 << 20

// healthSettings are the flags of health.
type healthSettings struct {
	ready   bool
	timeout duration
}

func healthCommand(env environment) *cli.Command {
	s := &healthSettings{timeout: duration(5 * time.Second)}
	return &cli.Command{
		Name:      "health",
		Usage:     "ask a running monitor how it is",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is where the monitor listens, " + defaultListen + " unless another is named; or a URL. This is for\n" +
			"what has no other client, such as the health check of a container.\n\n" +
			"Exit status: 0 well, 1 unwell, 2 wrong usage or no answer.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ready", Destination: &s.ready, Usage: "is it ready, too: does it judge all of its parts, with checkpoints in time?", DisableDefaultText: true},
			&cli.GenericFlag{Name: "timeout", Value: &s.timeout, Usage: "wait for the answer for `DURATION`"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return errors.New("want one monitor to ask")
			}
			return s.run(c.Context, env, c.Args().First())
		},
	}
}

func (s *healthSettings) run(ctx context.Context, env environment, addr string) error {
	ask, err := s.url(addr)
	if err != nil {
		return err
	}
	ctx, cancel := limited(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, ask, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
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
	case err != nil || health.OK == nil:
		return fmt.Errorf("%s answers %s: this is no monitor's health", ask, answer.Status)
	case !*health.OK:
		if err := printLines(env.stdout, append([]string{"unwell"}, health.Reasons...)...); err != nil {
			return err
		}
		return verdictStatus(1)
	}
	return printLines(env.stdout, "well")
}

// url is what to ask.
func (s *healthSettings) url(addr string) (string, error) {
	switch {
	case addr == "":
		addr = "http://" + defaultListen
	case !strings.Contains(addr, "://"):
		addr = "http://" + addr
	}
	u, err := url.Parse(addr)
	if err != nil || u.Hostname() == "" {
		return "", fmt.Errorf("%q is no address: want HOST:PORT, such as %s", addr, defaultListen)
	}
	path := "healthz"
	if s.ready {
		path = "readyz"
	}
	return u.JoinPath(path).String(), nil
}
