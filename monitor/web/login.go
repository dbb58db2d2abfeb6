package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"

	"go.uber.org/zap"
	"golang.org/x/crypto/bcrypt"
	limiter "golang.org/x/time/rate"
)

// login lets the users of the file in. It reads the file again for each request.
type login struct {
	file  string
	next  http.Handler
	log   *zap.Logger
	limit *limiter.Limiter // nil: none

	checking sync.Mutex // one password at a time is checked, since this is slow

	mu    sync.Mutex
	right map[[sha256.Size]byte]bool // the logins that were right; others cannot displace them
}

// mostRight is how many right logins are kept. There are more only after changes of the file.
const mostRight = 100

// noPassword is a hash to check where there is no such user: the time of the answer must not
// show who is a user.
const noPassword = "$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi"

// ServeHTTP implements http.Handler.
func (l *login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := readAccessFile(l.file)
	if err != nil {
		l.log.Error("no request is answered: the file of web-config cannot be read", zap.Error(err))
		deny(w, http.StatusInternalServerError)
		return
	}
	if l.limit != nil && !l.limit.Allow() {
		deny(w, http.StatusTooManyRequests)
		return
	}
	for name, value := range a.HTTP.Headers {
		w.Header().Set(name, value)
	}
	if len(a.Users) > 0 && !l.known(a, r) {
		w.Header().Set("WWW-Authenticate", "Basic")
		deny(w, http.StatusUnauthorized)
		return
	}
	l.next.ServeHTTP(w, r)
}

func deny(w http.ResponseWriter, status int) { http.Error(w, http.StatusText(status), status) }

// known reports whether the request has a user's name and password.
func (l *login) known(a *accessFile, r *http.Request) bool {
	name, password, given := r.BasicAuth()
	if !given {
		return false
	}
	hash, isUser := a.Users[name]
	if !isUser {
		hash = noPassword
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", name, hash, password))
	l.mu.Lock()
	right := l.right[key]
	l.mu.Unlock()
	if right {
		return true
	}
	l.checking.Lock()
	right = bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil && isUser
	l.checking.Unlock()
	if right {
		l.mu.Lock()
		if len(l.right) >= mostRight {
			clear(l.right)
		}
		l.right[key] = true
		l.mu.Unlock()
	}
	return right
}
