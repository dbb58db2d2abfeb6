// Package web shows a monitor over HTTP: pages for people, metrics for
// Prometheus, health for whoever starts it, and JSON for scripts. It only reads.
package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// Options are what the pages need beside the board. The zero value is ready.
type Options struct {
	// Hosts are names by which requests may call this server, beside localhost:
	// such as a reverse proxy's, which passes its own name on.
	Hosts []string
	// Interval is that between two checkpoints; the monitor is not ready when one
	// is late (latest). 0: it does not matter when they were.
	Interval time.Duration
	// Recent is for how long a violation counts as a fault. 0 is 24 hours.
	Recent time.Duration
	// Specs are those that may judge: their rules are counted from 0 on, so that
	// the first violation is a rise.
	Specs []*validators.Spec
	Log   *zap.Logger // nil: nowhere
}

// A checkpoint is late when it is older than so many intervals, and than leastLate:
// one may take longer than an interval.
const (
	latest    = 3
	leastLate = 10 * time.Second
)

// server answers the requests.
type server struct {
	board    board.Board
	opts     Options
	pages    *template.Template
	assets   assets
	seats    chan struct{} // one for each reader of /events
	now      func() time.Time
	lookTime time.Duration
}

// Handler answers all requests for the board. It may be used by many listeners.
func Handler(b board.Board, opts Options) http.Handler {
	return newServer(b, opts).handler()
}

func newServer(b board.Board, opts Options) *server {
	opts.Recent = cmp.Or(opts.Recent, 24*time.Hour)
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	s := &server{board: b, opts: opts, assets: loadAssets(), seats: make(chan struct{}, mostReaders), now: time.Now, lookTime: lookTime}
	s.pages = s.parse()
	return s
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"/{$}":            s.overviewPage,
		"/streams":        s.streamsPage,
		"/stream":         s.streamPage,
		"/violations":     s.violationsPage,
		"/violation":      s.violationPage,
		"/violation/{id}": shortLink,
		"/events":         s.events,
		"/static/{name}":  s.static,
		"/healthz":        s.healthz,
		"/readyz":         s.readyz,
		"/api/overview":   s.apiOverview,
		"/api/streams":    s.apiStreams,
		"/api/stream":     s.apiStream,
		"/api/violations": s.apiViolations,
		"/api/violation":  s.apiViolation,
		"/":               s.nothingHere,
	} {
		mux.HandleFunc(path, h)
	}
	mux.Handle("/metrics", s.metrics())
	return s.contain(guard(s.opts.Hosts, mux))
}

// contain answers where a handler panics. net/http would end the connection, and
// write to standard error.
func (s *server) contain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p) // the way to end a connection without an answer
			}
			s.opts.Log.Error("a request was answered by a panic: please report it",
				zap.String("path", r.URL.Path), zap.String("panic", fmt.Sprint(p)), zap.ByteString("stack", debug.Stack()))
			http.Error(w, "This is a fault in tracecheck itself; its log has more. The judging goes on.", http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}

// shortLink leads from /violation/ID to the page. All links are relative, so
// that a proxy may put the pages anywhere.
func shortLink(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", "../violation?id="+template.URLQueryEscaper(r.PathValue("id")))
	w.WriteHeader(http.StatusFound)
}
