package web

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/crypto/bcrypt"

	"tracecheck/internal/files"
)

// certify writes a certificate of this machine, which is its own authority, as
// cert.pem and key.pem.
func certify(t *testing.T, dir string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		put(t, dir, name, string(pem.EncodeToMemory(block)))
	}
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

const byTLS = "tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n"

// user is a line of basic_auth_users.
func user(t *testing.T, name, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("  %s: %q\n", name, hash)
}

// serveBy runs a server as the file states, and returns its address.
func serveBy(t *testing.T, file string, log *zap.Logger) string {
	t.Helper()
	access, err := ReadAccess(file)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- access.Serve(ctx, l, Handler(quiet(1, night), Options{}), log) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// ask returns the status of /healthz, and the serial number of the certificate
// that was shown; 0: none was.
func ask(t *testing.T, url, dir, name, password string) (status int, serial int64, err error) {
	t.Helper()
	pool, err := files.Authorities(filepath.Join(dir, "cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest(http.MethodGet, url+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if name != "" {
		r.SetBasicAuth(name, password)
	}
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Error(err)
	}
	if res.TLS != nil {
		serial = res.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	return res.StatusCode, serial, nil
}

// With a file of access there is TLS and a login, and what the file names is read
// again while the server runs.
func TestAccess(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, 1)
	config := put(t, dir, "web.yaml", byTLS+"basic_auth_users:\n"+user(t, "ann", "one"))
	core, logged := observer.New(zapcore.InfoLevel)
	addr := serveBy(t, config, zap.New(core))
	check := func(what, scheme, name, password string, want int, wantSerial int64) {
		t.Helper()
		status, serial, err := ask(t, scheme+"://"+addr, dir, name, password)
		if err != nil || status != want || serial != wantSerial {
			t.Errorf("%s: status %d, certificate %d (%v), want %d, %d", what, status, serial, err, want, wantSerial)
		}
	}
	check("the user", "https", "ann", "one", http.StatusOK, 1)
	check("nobody", "https", "", "", http.StatusUnauthorized, 1)
	check("another password", "https", "ann", "two", http.StatusUnauthorized, 1)
	check("without TLS", "http", "ann", "one", http.StatusBadRequest, 0)
	checkEvents(t, "https://"+addr, dir, "ann", "one")
	certify(t, dir, 2)
	put(t, dir, "web.yaml", byTLS+"basic_auth_users:\n"+user(t, "bob", "two"))
	check("another certificate and user", "https", "bob", "two", http.StatusOK, 2)
	check("one who was a user", "https", "ann", "one", http.StatusUnauthorized, 2)
	if n := logged.FilterLevelExact(zapcore.ErrorLevel).Len(); n > 0 {
		t.Errorf("%d errors are logged: %v", n, logged.All())
	}
	put(t, dir, "web.yaml", "no YAML: [")
	if _, _, err := ask(t, "https://"+addr, dir, "bob", "two"); err == nil {
		t.Error("a file that is damaged lets readers in")
	}
}

// checkEvents reads the first message to a page that is open, over HTTP/2.
func checkEvents(t *testing.T, url, dir, name, password string) {
	t.Helper()
	pool, err := files.Authorities(filepath.Join(dir, "cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(name, password)
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if lines.Text() == "data: look" {
			if res.ProtoMajor != 2 {
				t.Errorf("the page is read by %s", res.Proto)
			}
			return
		}
	}
	t.Errorf("status %d, and no message: %v", res.StatusCode, lines.Err())
}

// A login without TLS. A file that is damaged while the server runs lets nobody
// in, and the log states why.
func TestAccessWithoutTLS(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, 1)
	config := put(t, dir, "web.yaml", "basic_auth_users:\n"+user(t, "ann", "one"))
	core, logged := observer.New(zapcore.InfoLevel)
	addr := serveBy(t, config, zap.New(core))
	if status, _, err := ask(t, "http://"+addr, dir, "", ""); status != http.StatusUnauthorized {
		t.Errorf("nobody: %d, %v", status, err)
	}
	if status, _, err := ask(t, "http://"+addr, dir, "ann", "one"); status != http.StatusOK {
		t.Errorf("the user: %d, %v", status, err)
	}
	put(t, dir, "web.yaml", "no YAML: [")
	if status, _, err := ask(t, "http://"+addr, dir, "ann", "one"); status != http.StatusInternalServerError {
		t.Errorf("damaged: %d, %v", status, err)
	}
	if logged.FilterMessageSnippet("the file of web-config cannot be read").FilterLevelExact(zapcore.ErrorLevel).Len() == 0 {
		t.Errorf("the log states nothing of it: %v", logged.All())
	}
}

func TestReadAccess(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, 1)
	for name, c := range map[string]struct {
		text string
		want Access
		err  string
	}{
		"TLS":            {byTLS, Access{TLS: true}, ""},
		"login":          {"basic_auth_users:\n" + user(t, "a", "b"), Access{Login: true}, ""},
		"both":           {byTLS + "basic_auth_users:\n" + user(t, "a", "b"), Access{TLS: true, Login: true}, ""},
		"neither":        {"", Access{}, ""},
		"no YAML":        {"a: [", Access{}, "web.yaml:2: not YAML: "},
		"unknown key":    {"tls: {}", Access{}, "web.yaml:1: unknown key \"tls\""},
		"no certificate": {"tls_server_config: {cert_file: gone.pem, key_file: key.pem}", Access{}, "gone.pem"},
		"no key":         {"tls_server_config: {cert_file: cert.pem}", Access{}, "missing one of key or key_file"},
		"plain password": {"basic_auth_users: {a: secret}", Access{}, "bcrypt"},
		"all settings":   {strict + "http_server_config: {http2: false, headers: {X-Frame-Options: deny}}\nrate_limit: {burst: 1, interval: 1h}", Access{TLS: true}, ""},
		"no such header": {"http_server_config: {headers: {X-Powered-By: us}}", Access{}, "X-Powered-By"},
		"no such value":  {"http_server_config: {headers: {X-Frame-Options: allow}}", Access{}, "sameorigin"},
		"cipher":         {"tls_server_config: {cert_file: cert.pem, key_file: key.pem, cipher_suites: [ROT13]}", Access{}, "ROT13"},
		"version":        {"tls_server_config: {cert_file: cert.pem, key_file: key.pem, min_version: TLS14}", Access{}, "TLS14"},
		"client":         {"tls_server_config: {cert_file: cert.pem, key_file: key.pem, client_auth_type: Maybe}", Access{}, "Maybe"},
		"needless CA":    {"tls_server_config: {cert_file: cert.pem, key_file: key.pem, client_ca_file: cert.pem}", Access{}, "client"},
	} {
		file := put(t, dir, "web.yaml", c.text)
		got, err := ReadAccess(file)
		if c.err == "" {
			c.want.File = file
		}
		if got != c.want || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "web.yaml")) {
			t.Errorf("%s: %+v, %v; want %+v, %q", name, got, err, c.want, c.err)
		}
	}
	if got, err := ReadAccess(""); err != nil || got != (Access{}) || got.Scheme() != "http" {
		t.Errorf("no file: %+v, %v", got, err)
	}
}

// strict asks clients for the server's own certificate, under its address.
const strict = "tls_server_config: {cert_file: cert.pem, key_file: key.pem, client_ca_file: cert.pem, client_auth_type: RequireAndVerifyClientCert, " +
	"client_allowed_sans: [127.0.0.1], min_version: TLS13, curve_preferences: [X25519], cipher_suites: [TLS_AES_128_GCM_SHA256]}\n"

// Settings of the file besides certificates and passwords.
func TestAccessSettings(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, 1)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool, err := files.Authorities(filepath.Join(dir, "cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	config := put(t, dir, "web.yaml", strict+"http_server_config: {http2: false, headers: {X-XSS-Protection: \"0\"}}\nrate_limit: {burst: 2, interval: 1h}\n")
	addr := serveBy(t, config, nil)
	get := func(c *tls.Config) (*http.Response, error) {
		transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		res, err := (&http.Client{Transport: transport}).Get("https://" + addr + "/healthz")
		if err == nil {
			res.Body.Close()
		}
		return res, err
	}
	if _, err := get(&tls.Config{RootCAs: pool}); err == nil {
		t.Error("a client without a certificate is let in")
	}
	if _, err := get(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, MaxVersion: tls.VersionTLS12}); err == nil {
		t.Error("TLS 1.2 is spoken")
	}
	for _, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		res, err := get(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}})
		if err != nil || res.StatusCode != want {
			t.Fatalf("got %v (%v), want %d", res, err, want)
		}
		if want == http.StatusOK && (res.Header.Get("X-XSS-Protection") != "0" || res.ProtoMajor != 1) {
			t.Errorf("%s with the headers %v", res.Proto, res.Header)
		}
	}
	put(t, dir, "web.yaml", strings.Replace(strict, "127.0.0.1", "ops.example", 1))
	if _, err := get(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}); err == nil {
		t.Error("a client by another name is let in")
	}
}

// crowd is a listener to which there is always one more who connects.
type crowd struct {
	open   chan net.Conn // the clients' ends
	closed chan struct{}
}

func (c crowd) Accept() (net.Conn, error) {
	server, client := net.Pipe()
	select {
	case c.open <- client:
		return server, nil
	case <-c.closed:
		return nil, net.ErrClosed
	default:
		return nil, errors.New("too many connections are open")
	}
}

func (c crowd) Close() error   { close(c.closed); return nil }
func (c crowd) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// However many connect, so many are served at a time: the others wait until one
// goes.
func TestConnectionsAreBounded(t *testing.T) {
	c := crowd{open: make(chan net.Conn, mostConnections), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Access{}.Serve(ctx, c, Handler(quiet(1, night), Options{}), nil) }()
	for range 3 * mostConnections {
		select {
		case one := <-c.open:
			one.Close()
		case err := <-done:
			t.Fatal(err)
		}
	}
	for len(c.open) < mostConnections {
		select {
		case err := <-done:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	<-c.closed
	for len(c.open) > 0 {
		(<-c.open).Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
