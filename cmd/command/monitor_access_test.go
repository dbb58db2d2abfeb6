package command

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"tracecheck/internal/console"
	"tracecheck/monitor/config"
	"tracecheck/monitor/web"
	"tracecheck/specs"
)

// accessFiles writes a certificate for 127.0.0.1 with its key, and a password,
// and a web.config that names them.
func accessFiles(t *testing.T, dir string, withTLS, withLogin bool) (config string) {
	t.Helper()
	write := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	server := httptest.NewTLSServer(nil) // it has a certificate
	defer server.Close()
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	write("password", "secret\n")
	write("wrong", "guess\n")
	text := ""
	if withTLS {
		text += "tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n"
	}
	if withLogin {
		text += fmt.Sprintf("basic_auth_users: {ann: %q}\n", hash)
	}
	return write("web.yaml", text)
}

// A monitor whose page has TLS and a login is asked for its health.
func TestHealthOfSecuredMonitor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "monitor.yaml")
	text := fmt.Sprintf("follow: %s\nno-checkpoint: true\nlisten: 127.0.0.1:0\nweb-config: %s\n", filepath.Join(dir, "log"), accessFiles(t, dir, true, true))
	for _, name := range []string{config, filepath.Join(dir, "log")} { // without the log it is not ready
		if err := os.WriteFile(name, map[bool][]byte{true: []byte(text)}[name == config], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	said, stderr := io.Pipe()
	done := make(chan int)
	go func() {
		status := run(ctx, console.Environment{Specs: specs.All(), Args: []string{"tracecheck", "monitor", "--config", config}, Stdout: io.Discard, Stderr: stderr, Getenv: func(string) string { return "" }})
		stderr.Close()
		done <- status
	}()
	log := bufio.NewScanner(said)
	page := ""
	for page == "" && log.Scan() {
		if found := regexp.MustCompile(`the page is at (https://\S+)`).FindStringSubmatch(log.Text()); found != nil {
			page = found[1]
		}
	}
	if page == "" {
		t.Fatal("no page by https")
	}
	go io.Copy(io.Discard, said)
	file := func(name string) string { return filepath.Join(dir, name) }
	login := []string{"--user", "ann", "--password-file", file("password")}
	for _, c := range []struct {
		args []string
		want int
		said string
	}{
		{append([]string{"--ca", file("cert.pem"), page}, login...), 0, "healthy\n"},
		{append([]string{"--ready", "--ca", file("cert.pem"), "--server-name", "example.com", page}, login...), 0, "healthy\n"},
		{append([]string{"--ca", file("cert.pem"), "--server-name", "example.net", page}, login...), 2, "not example.net"},
		{append([]string{page}, login...), 2, "certificate"},
		{[]string{"--ca", file("cert.pem"), page}, 2, "another login"},
		{[]string{"--ca", file("cert.pem"), "--user", "ann", "--password-file", file("wrong"), page}, 2, "another login"},
		{[]string{"--ca", file("cert.pem"), strings.Replace(page, "//", "//ann:secret@", 1)}, 0, "healthy\n"},
		{[]string{strings.TrimPrefix(page, "https://")}, 2, "it may require https"},
		{[]string{"--ca", file("cert.pem"), strings.TrimPrefix(page, "https://")}, 2, "are for https"},
		{[]string{"--user", "ann", page}, 2, "--password-file"},
		{[]string{"--cert", file("cert.pem"), page}, 2, "--key"},
		{[]string{"--ca", file("cert.pem"), "--cert", file("cert.pem"), "--key", file("key.pem"), "--user", "ann", "--password-file", file("none"), page}, 2, "cannot read the password"},
	} {
		status, stdout, stderr := tryRun(t.Context(), nil, append([]string{"health", "--timeout", "1m"}, c.args...)...)
		if status != c.want || !strings.Contains(stdout+stderr, c.said) || strings.Contains(stdout+stderr, "secret") {
			t.Errorf("%q: exit status %d, %q, %q; want %d, %q", c.args, status, stdout, stderr, c.want, c.said)
		}
	}
	cancel()
	if status := <-done; status != 0 {
		t.Errorf("the monitor ended with status %d", status)
	}
}

// The example of deploy/ gives a page TLS.
func TestDeployedWebConfig(t *testing.T) {
	dir := t.TempDir()
	accessFiles(t, dir, true, true)
	text, err := os.ReadFile("../../deploy/web.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "deployed.yaml")
	for what, text := range map[string]string{"as it is": string(text), "with all it shows": strings.NewReplacer("#basic", "basic", "\n#  ", "\n  ", "  #client", "  client", "clients.pem", "cert.pem", "$…", "$mDwo.lAisC94iLAyP81MCesa29IzH37oigHC/42V2pdJlUprsJPze").Replace(string(text))} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := web.ReadAccess(file)
		if err != nil || !a.TLS || a.Login != (what != "as it is") {
			t.Errorf("%s: %+v, %v", what, a, err)
		}
	}
}

// What makes a page less closed than it looks is warned of.
func TestMonitorWarnsOfOpenPages(t *testing.T) {
	for _, c := range []struct {
		tls, login bool
		flags      string
		want       string
	}{
		{true, true, "--listen-remote --listen :0", ""},
		{true, false, "", ""},
		{false, true, "", ""},
		{false, true, "--listen-remote --listen :0", "page's passwords cross"},
		{false, false, "", "neither TLS nor a login"},
	} {
		dir := t.TempDir()
		var log bytes.Buffer
		env := console.Environment{Stderr: &log, Getenv: func(string) string { return "" }}
		args := append([]string{"--spec", "swarmkit", "--follow", filepath.Join(dir, "log"), "--no-checkpoint", "--web-config", accessFiles(t, dir, c.tls, c.login)}, strings.Fields(c.flags)...)
		if _, err := config.Load(env, specs.All(), args); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: logged %q", c, got)
		}
	}
}

// A web.config with a fault is a fault of the configuration, with its place.
func TestMonitorWebConfigFaults(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(bad, []byte("basic_auth_users: {ann: plain}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"--web-config " + bad:               "tracecheck: --web-config: " + bad + ": ",
		"--web-config " + bad + "x":         "tracecheck: --web-config: open " + bad + "x: ",
		"--listen none --web-config " + bad: "tracecheck: --web-config: --listen is none",
	} {
		status, _, stderr := tryRun(t.Context(), nil, append([]string{"monitor", "--dry-run", "--no-checkpoint", "--follow", filepath.Join(dir, "log")}, strings.Fields(flags)...)...)
		if status != statusUsage || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit status %d: %s", flags, status, stderr)
		}
	}
}
