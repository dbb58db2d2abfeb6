package alert

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"tracecheck/internal/files"
)

// WebhookOptions are the settings of a Webhook.
type WebhookOptions struct {
	URL  string // such as http://alertmanager:9093/api/v2/alerts
	Name string // "": "webhook:" with the URL's host and port

	// The login: a token, or a user with a password, or none. The files are
	// read at each attempt. The URL may have a user and a password, too.
	TokenFile    string
	User         string
	PasswordFile string

	CA      string        // a PEM file of trusted authorities; "": the system's
	Timeout time.Duration // for each attempt; 0: 10 s

	PublicURL    string            // the monitor's page, for links; "": no links
	ResolveAfter time.Duration     // how long an alert fires; 0: 1 hour
	Labels       map[string]string // additional labels, such as the cluster; "severity" replaces the default
}

// Webhook posts alerts to the Prometheus Alertmanager, by version 2 of its API.
type Webhook struct {
	opts   WebhookOptions
	url    *url.URL      // without the user
	inURL  *url.Userinfo // nil: none
	client *http.Client
	now    func() time.Time
}

// labelName is what every version of Alertmanager accepts.
var labelName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`) })

// NewWebhook checks the options. An error is an error of configuration. It does
// not connect.
func NewWebhook(opts WebhookOptions) (*Webhook, error) {
	u, err := httpURL(opts.URL)
	if err != nil {
		return nil, fmt.Errorf("the webhook's URL: %w", err)
	}
	if opts.PublicURL != "" {
		page, err := httpURL(opts.PublicURL)
		if err != nil {
			return nil, fmt.Errorf("the page's public URL: %w", err)
		}
		if page.User != nil || page.RawQuery != "" || page.Fragment != "" {
			return nil, errors.New("the page's public URL may have only a scheme, a host and a path: alerts show it")
		}
	}
	w := &Webhook{opts: opts, url: u, inURL: u.User, now: time.Now}
	u.User = nil
	switch {
	case opts.TokenFile != "" && (opts.User != "" || w.inURL != nil):
		return nil, errors.New("a webhook has a token or a user, not both")
	case opts.User != "" && w.inURL != nil:
		return nil, errors.New("a webhook's user is given twice: in its URL and in the options")
	case (opts.User == "") != (opts.PasswordFile == ""):
		return nil, errors.New("a webhook's login needs both a user and a file with the password")
	}
	for name := range opts.Labels {
		if !labelName().MatchString(name) {
			return nil, fmt.Errorf("%q is not a label name: use only a-z, A-Z, 0-9 and _, and no digit first", name)
		}
		if _, ours := ourLabels[name]; ours {
			return nil, fmt.Errorf("the label %q is set by tracecheck: choose another name", name)
		}
	}
	w.opts.Name = cmp.Or(opts.Name, "webhook:"+u.Host)
	w.opts.Timeout = cmp.Or(opts.Timeout, 10*time.Second)
	w.opts.ResolveAfter = cmp.Or(opts.ResolveAfter, time.Hour)
	w.opts.Labels = maps.Clone(opts.Labels)
	return w, w.connectBy(opts.CA)
}

// httpURL leaves the URL out of errors: it may have a password.
func httpURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("not a URL: expected one such as http://localhost:9093/api/v2/alerts")
	}
	return u, nil
}

// connectBy creates the client.
func (w *Webhook) connectBy(authority string) error {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		u, err := http.ProxyFromEnvironment(r)
		if err != nil {
			return nil, errors.New("the proxy of the environment is not a URL") // it may have a password
		}
		return u, nil
	}
	if authority != "" {
		pool, err := files.Authorities(authority)
		if err != nil {
			return err
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	w.client = &http.Client{Transport: t, Timeout: w.opts.Timeout, CheckRedirect: sameHost}
	return nil
}

// sameHost follows redirects that keep the request and its host. The request
// may have a password.
func sameHost(r *http.Request, before []*http.Request) error {
	first := before[0]
	if r.Method != http.MethodPost || r.URL.Host != first.URL.Host || r.URL.Scheme != first.URL.Scheme || len(before) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Name implements Receiver.
func (w *Webhook) Name() string { return w.opts.Name }

// Close implements Receiver.
func (w *Webhook) Close() error {
	w.client.CloseIdleConnections()
	return nil
}

// Deliver implements Receiver. If the server refuses a request, Deliver splits
// it until it has found the refused alerts.
func (w *Webhook) Deliver(ctx context.Context, alerts []Alert) error {
	var refused RefusedError
	if err := w.deliver(ctx, alerts, 0, &refused); err != nil {
		return err
	}
	if len(refused.Refusals) > 0 {
		return &refused
	}
	return nil
}

func (w *Webhook) deliver(ctx context.Context, alerts []Alert, at int, refused *RefusedError) error {
	if len(alerts) == 0 {
		return nil
	}
	list := make([]postable, len(alerts))
	for i := range alerts {
		list[i] = w.postable(&alerts[i])
	}
	body, err := json.Marshal(list)
	if err != nil {
		return err
	}
	err = w.post(ctx, body)
	no, ok := errors.AsType[refusal](err)
	switch half := len(alerts) / 2; {
	case !ok:
		return err
	case half == 0:
		refused.Refusals = append(refused.Refusals, Refusal{Index: at, Reason: no.Error()})
		return nil
	default:
		if err := w.deliver(ctx, alerts[:half], at, refused); err != nil {
			return err
		}
		return w.deliver(ctx, alerts[half:], at+half, refused)
	}
}

// link is the URL of the alert's page.
func (w *Webhook) link(a *Alert) string {
	if w.opts.PublicURL == "" {
		return ""
	}
	base := strings.TrimSuffix(w.opts.PublicURL, "/")
	if a.Violation == nil {
		return base + "/"
	}
	return base + "/violation/" + url.PathEscape(a.ID)
}
