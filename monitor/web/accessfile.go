package web

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
	"golang.org/x/crypto/bcrypt"

	"tracecheck/internal/files"
	"tracecheck/internal/yamldoc"
)

// accessFile is a file in the format of Prometheus' web configuration:
// https://prometheus.io/docs/prometheus/latest/configuration/https/
type accessFile struct {
	name string
	TLS  tlsSettings `yaml:"tls_server_config"`
	HTTP struct {
		HTTP2   bool              `yaml:"http2"`
		Headers map[string]string `yaml:"headers"`
	} `yaml:"http_server_config"`
	Rate struct {
		Burst    int           `yaml:"burst"`
		Interval time.Duration `yaml:"interval"`
	} `yaml:"rate_limit"`
	Users map[string]string `yaml:"basic_auth_users"` // the values are bcrypt hashes
}

type tlsSettings struct {
	Cert          string   `yaml:"cert"`
	Key           string   `yaml:"key"`
	ClientCA      string   `yaml:"client_ca"`
	CertFile      string   `yaml:"cert_file"`
	KeyFile       string   `yaml:"key_file"`
	ClientCAFile  string   `yaml:"client_ca_file"`
	ClientAuth    string   `yaml:"client_auth_type"`
	ClientNames   []string `yaml:"client_allowed_sans"`
	Ciphers       []string `yaml:"cipher_suites"`
	Curves        []string `yaml:"curve_preferences"`
	Least         string   `yaml:"min_version"`
	Most          string   `yaml:"max_version"`
	PreferServers bool     `yaml:"prefer_server_cipher_suites"` // Go decides that itself
}

// readAccessFile reads the file, and checks what needs no other file.
func readAccessFile(file string) (*accessFile, error) {
	data, err := files.Read(file, files.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: write it; the documentation of Prometheus calls it the web configuration file", err)
	}
	if err != nil {
		return nil, err
	}
	a := &accessFile{name: file}
	a.HTTP.HTTP2 = true
	if _, err := yamldoc.Document(file, data); err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(a); err != nil && !errors.Is(err, io.EOF) { // it may be empty
		if at := regexp.MustCompile(`line (\d+): field (\S+) not found in type`).FindStringSubmatch(err.Error()); at != nil {
			return nil, fmt.Errorf("%s:%s: unknown key %q: the keys are those of Prometheus' web configuration", file, at[1], at[2])
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// tls reads the certificates. It is nil where the file has no TLS.
func (a *accessFile) tls() (*tls.Config, error) {
	c, err := a.TLS.config(filepath.Dir(a.name))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: name it relative to the folder of %s", err, a.name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: tls_server_config: %w", a.name, err)
	}
	return c, nil
}

// headers are those that the file may set, with their possible values; none: any.
var headers = map[string][]string{
	"Strict-Transport-Security": nil,
	"X-Content-Type-Options":    {"nosniff"},
	"X-Frame-Options":           {"deny", "sameorigin"},
	"X-XSS-Protection":          nil,
	"Content-Security-Policy":   nil,
}

func (a *accessFile) check() error {
	for _, name := range slices.Sorted(maps.Keys(a.Users)) {
		if _, err := bcrypt.Cost([]byte(a.Users[name])); err != nil {
			return fmt.Errorf("basic_auth_users: the password of %s must be a bcrypt hash: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.HTTP.Headers)) {
		values, known := headers[name]
		if !known {
			return fmt.Errorf("headers: %s cannot be set: expected %s", name, strings.Join(slices.Sorted(maps.Keys(headers)), ", "))
		}
		if len(values) > 0 && !slices.Contains(values, a.HTTP.Headers[name]) {
			return fmt.Errorf("headers: %s is %q: expected %s", name, a.HTTP.Headers[name], strings.Join(values, " or "))
		}
	}
	return nil
}

var (
	tlsVersions = map[string]uint16{"TLS10": tls.VersionTLS10, "TLS11": tls.VersionTLS11, "TLS12": tls.VersionTLS12, "TLS13": tls.VersionTLS13}
	tlsCurves   = map[string]tls.CurveID{"CurveP256": tls.CurveP256, "CurveP384": tls.CurveP384, "CurveP521": tls.CurveP521, "X25519": tls.X25519}
	clientAuths = map[string]tls.ClientAuthType{
		"": tls.NoClientCert, "NoClientCert": tls.NoClientCert, "RequestClientCert": tls.RequestClientCert,
		"RequireAnyClientCert": tls.RequireAnyClientCert, "RequireClientCert": tls.RequireAnyClientCert,
		"VerifyClientCertIfGiven": tls.VerifyClientCertIfGiven, "RequireAndVerifyClientCert": tls.RequireAndVerifyClientCert,
	}
)

// config is nil where nothing is set.
func (t *tlsSettings) config(dir string) (*tls.Config, error) {
	switch {
	case t.Cert+t.CertFile+t.Key+t.KeyFile+t.ClientCA+t.ClientCAFile+t.ClientAuth == "":
		return nil, nil
	case t.Cert+t.CertFile == "":
		return nil, errors.New("missing one of cert or cert_file")
	case t.Key+t.KeyFile == "":
		return nil, errors.New("missing one of key or key_file")
	}
	c := &tls.Config{}
	var err error
	if c.MinVersion, err = named("min_version", cmp.Or(t.Least, "TLS12"), tlsVersions); err != nil {
		return nil, err
	}
	if c.MaxVersion, err = named("max_version", cmp.Or(t.Most, "TLS13"), tlsVersions); err != nil {
		return nil, err
	}
	if c.ClientAuth, err = named("client_auth_type", t.ClientAuth, clientAuths); err != nil {
		return nil, err
	}
	ciphers := map[string]uint16{}
	for _, suite := range tls.CipherSuites() {
		ciphers[suite.Name] = suite.ID
	}
	if c.CipherSuites, err = allNamed("cipher_suites", t.Ciphers, ciphers); err != nil {
		return nil, err
	}
	if c.CurvePreferences, err = allNamed("curve_preferences", t.Curves, tlsCurves); err != nil {
		return nil, err
	}
	cert, err := textOr(dir, t.CertFile, t.Cert)
	if err != nil {
		return nil, err
	}
	key, err := textOr(dir, t.KeyFile, t.Key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate and its key: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	if t.ClientCA+t.ClientCAFile != "" {
		if c.ClientAuth == tls.NoClientCert {
			return nil, errors.New("there is a client CA, but client_auth_type asks for no certificate: expected RequireAndVerifyClientCert")
		}
		text, err := textOr(dir, t.ClientCAFile, t.ClientCA)
		if err != nil {
			return nil, err
		}
		c.ClientCAs = x509.NewCertPool()
		c.ClientCAs.AppendCertsFromPEM(text)
	}
	if t.ClientNames != nil {
		c.VerifyPeerCertificate = t.verifyName
	}
	return c, nil
}

// textOr reads the file, or returns the text where no file is named.
func textOr(dir, file, text string) ([]byte, error) {
	if file == "" {
		return []byte(text), nil
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	return os.ReadFile(file)
}

// verifyName checks that the client's certificate has one of the names.
func (t *tlsSettings) verifyName(raw [][]byte, _ [][]*x509.Certificate) error {
	if len(raw) == 0 {
		return errors.New("the client has no certificate, and client_allowed_sans needs one")
	}
	cert, err := x509.ParseCertificate(raw[0])
	if err != nil {
		return fmt.Errorf("the client's certificate: %w", err)
	}
	names := slices.Concat(cert.DNSNames, cert.EmailAddresses)
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	for _, uri := range cert.URIs {
		names = append(names, uri.String())
	}
	if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(t.ClientNames, name) }) {
		return fmt.Errorf("the client's certificate is for %s, which client_allowed_sans does not have", strings.Join(names, ", "))
	}
	return nil
}

func named[T any](key, name string, values map[string]T) (T, error) {
	v, ok := values[name]
	if !ok {
		return v, fmt.Errorf("%s: unknown %q: expected %s", key, name, strings.TrimPrefix(strings.Join(slices.Sorted(maps.Keys(values)), ", "), ", "))
	}
	return v, nil
}

func allNamed[T any](key string, names []string, values map[string]T) ([]T, error) {
	var all []T
	for _, name := range names {
		v, err := named(key, name, values)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
