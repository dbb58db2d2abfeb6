package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// policy lets a page load what this server has, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard passes on requests that only read and that name this server. Requests to the
// writable paths may write, unless a browser sends them for another site's page. It sets
// the security headers.
func guard(hosts []string, next http.Handler) http.Handler {
	own := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer") // a URL may have a stream's name
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !meant(r, hosts) {
			http.Error(w, fmt.Sprintf("This monitor does not serve the host %q. Use its address, or localhost, or add the name to listen-host.", r.Host), http.StatusMisdirectedRequest)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if !slices.Contains(writable[r.URL.Path], r.Method) {
				h.Set("Allow", strings.Join(append([]string{"GET", "HEAD"}, writable[r.URL.Path]...), ", "))
				http.Error(w, "This address is only read from: GET and HEAD.", http.StatusMethodNotAllowed)
				return
			}
			if err := own.Check(r); err != nil {
				http.Error(w, "This request comes from a page of another site.", http.StatusForbidden)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, mostForm)
		}
		next.ServeHTTP(w, r)
	})
}

// meant reports whether the request names this server. It prevents DNS rebinding: a
// page elsewhere can point its own name at this machine, and read what only this
// machine's users may read. Its requests still name its own host. Requests from
// other machines are checked only if hosts are given.
func meant(r *http.Request, hosts []string) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	local := true
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		local = at.IP.IsLoopback()
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return !local || ip.IsLoopback()
	}
	return !local && len(hosts) == 0
}
