package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tracecheck/internal/files"
)

// refusal is a server's answer that it does not accept the content.
type refusal struct{ error }

// post is one attempt.
func (w *Webhook) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(body))
	if err != nil {
		return w.failed(err, nil)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "tracecheck")
	if err := w.authorize(r); err != nil {
		return w.failed(err, r)
	}
	res, err := w.client.Do(r)
	if err != nil {
		return w.failed(err, r)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
	io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // so that the connection is reused
	if res.StatusCode/100 == 2 {
		return nil
	}
	err = w.failed(fmt.Errorf("%s%s", res.Status, w.answer(res, text)), r)
	switch res.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return refusal{err}
	}
	if after, ok := retryAfter(res.Header.Get("Retry-After"), w.now()); ok {
		return &LaterError{Err: err, After: after}
	}
	return err
}

// authorize adds the login.
func (w *Webhook) authorize(r *http.Request) error {
	switch {
	case w.opts.TokenFile != "":
		token, err := files.ReadSecret(w.opts.TokenFile, "token")
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	case w.opts.User != "":
		password, err := files.ReadSecret(w.opts.PasswordFile, "password")
		if err != nil {
			return err
		}
		r.SetBasicAuth(w.opts.User, password)
	case w.inURL != nil:
		password, _ := w.inURL.Password()
		r.SetBasicAuth(w.inURL.Username(), password)
	}
	return nil
}

// failed is the error of an attempt, without secrets: without the URL, and
// without those that the server repeats.
func (w *Webhook) failed(err error, r *http.Request) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			err = fmt.Errorf("no answer within %s", w.opts.Timeout)
		} else {
			err = e.Err
		}
	}
	text := err.Error()
	if r != nil {
		_, credentials, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		_, password, _ := r.BasicAuth()
		for _, secret := range []string{credentials, password} {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "(secret)")
			}
		}
	}
	return fmt.Errorf("cannot post to %s://%s: %s", w.url.Scheme, w.url.Host, text)
}

// answer explains a response beyond its status.
func (w *Webhook) answer(res *http.Response, text []byte) string {
	switch code := res.StatusCode; {
	case code/100 == 3:
		to := "elsewhere"
		if u, err := res.Location(); err == nil {
			to = "to " + u.Scheme + "://" + u.Host
		}
		return ": it redirects " + to + ", which is not followed: give the final URL"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return ": check the token, or user and password"
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return ": check the URL's path; Alertmanager's is /api/v2/alerts"
	case len(text) == 0:
		return ""
	}
	return ": " + cut(strings.Join(strings.Fields(string(text)), " "), 300)
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return time.Duration(min(n, int(mostLater/time.Second))) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}
