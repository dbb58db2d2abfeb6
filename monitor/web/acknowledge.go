package web

import (
	"errors"
	"net/http"
	"net/url"

	"tracecheck/monitor/board"
)

// Acknowledgements are the only thing that requests change.

// mostForm bounds the body of a request, in bytes.
const mostForm = 16 << 10

// writable lists the paths that take other methods than GET and HEAD.
var writable = map[string][]string{
	"/acknowledge":          {http.MethodPost},
	"/api/acknowledgements": {http.MethodPost, http.MethodDelete},
}

// whyReadOnly returns why acknowledgements are refused, "" if they are accepted.
func (s *server) whyReadOnly() string {
	if s.opts.Acknowledge == nil && s.opts.ReadOnly == "" {
		return "This server is only read from."
	}
	return s.opts.ReadOnly
}

// changed makes the change of the form. status is the HTTP status for the error.
func (s *server) changed(r *http.Request) (k board.Acknowledgement, status int, err error) {
	if why := s.whyReadOnly(); why != "" {
		return k, http.StatusForbidden, errors.New(why)
	}
	if err := r.ParseForm(); err != nil {
		return k, http.StatusBadRequest, err
	}
	by := r.Form.Get("by")
	if user, _, ok := r.BasicAuth(); ok && by == "" {
		by = user
	}
	if r.Method == http.MethodDelete || r.PostForm.Get("withdraw") != "" {
		k, err = s.opts.Acknowledge.Withdraw(r.Form.Get("id"))
	} else {
		k, err = s.opts.Acknowledge.Acknowledge(r.Form.Get("id"), by, r.Form.Get("why"))
	}
	switch {
	case err == nil:
		return k, http.StatusOK, nil
	case errors.Is(err, board.ErrUnknown), errors.Is(err, board.ErrNotAcknowledged):
		return k, http.StatusNotFound, err
	}
	return k, http.StatusBadRequest, err
}

// acknowledgePage handles the form of a violation's page, and redirects back to it.
func (s *server) acknowledgePage(w http.ResponseWriter, r *http.Request) {
	if _, status, err := s.changed(r); err != nil {
		s.fail(w, status, "Not acknowledged", err.Error())
		return
	}
	w.Header().Set("Location", "violation?id="+url.QueryEscape(r.Form.Get("id")))
	w.WriteHeader(http.StatusSeeOther)
}

func (s *server) apiAcknowledgements(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost || r.Method == http.MethodDelete {
		k, status, err := s.changed(r)
		if err != nil {
			refuse(w, status, err.Error())
			return
		}
		writeJSON(w, status, k)
		return
	}
	all := []board.Acknowledgement{}
	if s.opts.Acknowledge != nil {
		all = append(all, s.opts.Acknowledge.Acknowledgements()...)
	}
	writeJSON(w, http.StatusOK, map[string]any{"total": len(all), "acknowledgements": all})
}
