// Package web serves the state of a monitor over HTTP: pages for people, metrics
// for Prometheus, health checks for supervisors, and JSON for scripts. Requests can
// change only the acknowledgements of violations.
package web

import (
	"cmp"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
	"go.uber.org/zap"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// Options are the settings of the pages. The zero value is valid.
type Options struct {
	// Hosts are names by which requests may address this server, besides
	// localhost, such as the name of a reverse proxy.
	Hosts []string
	// Interval is the time between two checkpoints. The monitor is not ready while
	// one is late. 0: they are never late.
	Interval time.Duration
	// Recent is how long a violation counts as a fault. 0 is 24 hours.
	Recent time.Duration
	// Specs are the specs in use. Their rules are counted from 0, so that
	// Prometheus sees the first violation as an increase.
	Specs []*validators.Spec
	// Acknowledge takes acknowledgements; nil: there are none.
	Acknowledge board.Acknowledger
	// ReadOnly is why acknowledgements are refused; "": they are accepted.
	ReadOnly string
	Log      *zap.Logger // nil: no log
}

// A checkpoint is late if it is older than so many intervals, and than leastLate:
// writing one may take longer than an interval.
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

// Handler serves the board. Several listeners may share it.
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
		"/-/healthy":      s.healthz, // the names that Prometheus has for them
		"/-/ready":        s.readyz,
		"/api/overview":   s.apiOverview,
		"/api/streams":    s.apiStreams,
		"/api/stream":     s.apiStream,
		"/api/violations": s.apiViolations,
		"/api/violation":  s.apiViolation,
		"/api/past":       s.apiPast,
		"/":               s.nothingHere,

		"/api/acknowledgements": s.apiAcknowledgements,
		"POST /acknowledge":     s.acknowledgePage,
	} {
		mux.HandleFunc(path, h)
	}
	mux.Handle("/metrics", exposed(s.collect))
	return s.contain(guard(s.opts.Hosts, mux))
}

// contain answers and logs when a handler panics. net/http would end the
// connection and write to standard error.
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
			s.opts.Log.Error("a request caused a panic: please report it",
				zap.String("path", r.URL.Path), zap.String("panic", fmt.Sprint(p)), zap.ByteString("stack", debug.Stack()))
			http.Error(w, "This is a fault in tracecheck itself; its log has more. Judging continues.", http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}

// shortLink redirects from /violation/ID to the page. All links are relative, so
// that a proxy may serve the pages at any path.
func shortLink(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", "../violation?id="+template.URLQueryEscaper(r.PathValue("id")))
	w.WriteHeader(http.StatusFound)
}
