package web

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"tracecheck/monitor/board"
)

// page is the data of all pages.
type page struct {
	Title    string // of the page, without the banner
	Here     string // the entry of the menu
	Refresh  int    // seconds, for browsers without scripts; 0: when asked
	Live     string // address of the live parts; "": the page's own
	Script   string // another script's address
	Now      when
	Overview board.Overview
	Banner   banner
}

func (s *server) page(title, here string) page {
	p := page{Title: title, Here: here, Now: s.when(s.now()), Overview: s.board.Overview()}
	p.Banner = s.banner(&p.Overview)
	return p
}

// render writes a complete page, or an error.
func (s *server) render(w http.ResponseWriter, status int, name string, view any) {
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, view); err != nil {
		s.opts.Log.Error("cannot write a page: please report it", zap.String("page", name), zap.Error(err))
		http.Error(w, "This page cannot be shown. The log says why. Judging continues.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // the reader may have gone
}

// home is the relative address of the overview.
const home = "./"

type messageView struct {
	page
	Message string
}

// fail answers with a page that names the fault and what to do.
func (s *server) fail(w http.ResponseWriter, status int, title, message string) {
	v := messageView{s.page(title, ""), message}
	v.Live = home
	s.render(w, status, "message", v)
}

func (s *server) nothingHere(w http.ResponseWriter, r *http.Request) {
	// No links: they are relative, and this address may be anywhere.
	http.Error(w, "No such page. The pages are /, /streams and /violations; for programs there are /metrics, /healthz, /readyz (or /-/healthy, /-/ready) and /api/overview.", http.StatusNotFound)
}

type overviewView struct {
	page
	Streams    []board.Stream
	Total      int
	Violations []board.Violation
	Found      int // violations in memory
	Charts     []chart
	Over       string // the time that they show
}

// The lengths of the lists in the overview.
const (
	streamsSeen    = 10
	violationsSeen = 8
)

func (s *server) overviewPage(w http.ResponseWriter, r *http.Request) {
	v := overviewView{page: s.page("", "overview")}
	v.Refresh = 10
	v.Streams, v.Total = s.board.Streams(board.Query{Order: board.ByFault, Limit: streamsSeen})
	v.Violations, v.Found = s.board.Violations("*", 0, violationsSeen)
	var over time.Duration
	v.Charts, over = s.charts(&v.Overview)
	v.Over = span(over)
	s.render(w, http.StatusOK, "overview", v)
}

type streamsView struct {
	page
	Query  listQuery
	List   []board.Stream
	Pager  pager
	Choice []choice
}

// choice is a filter of the list.
type choice struct{ Value, Text string }

func (s *server) streamsPage(w http.ResponseWriter, r *http.Request) {
	q, err := readQuery(r, pageSize)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "Streams", err.Error())
		return
	}
	v := streamsView{page: s.page("Streams", "streams"), Query: q, Choice: choices}
	var total int
	v.List, total = s.board.Streams(q.board())
	v.Pager = q.pager("streams", total)
	s.render(w, http.StatusOK, "streams", v)
}

type streamView struct {
	page
	Name       string
	Stream     *board.StreamDetail
	Violations []board.Violation
	Pager      pager
}

// lookTime bounds how long a reader waits for a stream.
const lookTime = 10 * time.Second

// look returns the named stream, and the HTTP status.
func (s *server) look(r *http.Request, name string) (st *board.StreamDetail, status int) {
	ctx, cancel := context.WithTimeout(r.Context(), s.lookTime)
	defer cancel()
	st, ok := s.board.Stream(ctx, name)
	switch {
	case ok:
		return st, http.StatusOK
	case ctx.Err() != nil:
		return nil, http.StatusServiceUnavailable
	}
	return nil, http.StatusNotFound
}

func (s *server) streamPage(w http.ResponseWriter, r *http.Request) {
	q, err := readQuery(r, violationsPage)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "Stream", err.Error())
		return
	}
	st, status := s.look(r, q.Name)
	switch status {
	case http.StatusNotFound:
		s.fail(w, status, "No such stream", "This process has no stream “"+streamName(q.Name)+"”. The stream has no event yet, or another monitor judges it.")
		return
	case http.StatusServiceUnavailable:
		s.fail(w, status, "The stream is busy", "Its part is busy. Try again.")
		return
	}
	v := streamView{page: s.page(streamName(q.Name), "streams"), Name: q.Name, Stream: st}
	v.Refresh = 10
	var total int
	v.Violations, total = s.board.Violations(q.Name, q.skip(), q.Limit)
	v.Pager = q.pager("stream", total)
	s.render(w, http.StatusOK, "stream", v)
}

type violationsView struct {
	page
	List  []board.Violation
	Pager pager
}

func (s *server) violationsPage(w http.ResponseWriter, r *http.Request) {
	q, err := readQuery(r, violationsPage)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "Violations", err.Error())
		return
	}
	v := violationsView{page: s.page("Violations", "violations")}
	var total int
	v.List, total = s.board.Violations("*", q.skip(), q.Limit)
	v.Pager = q.pager("violations", total)
	s.render(w, http.StatusOK, "violations", v)
}
