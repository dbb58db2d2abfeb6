package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert, a.key = a.make(template, template, nil)
	a.file = a.write(name+".pem", "CERTIFICATE", a.cert.Raw)
	return a
}

func (a *authority) make(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

func (a *authority) write(name, kind string, der []byte) string {
	a.t.Helper()
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return file
}

// issue writes a certificate for 127.0.0.1, and its key.
func (a *authority) issue(name string) (cert, key string) {
	a.t.Helper()
	c, k := a.make(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, a.key)
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".cert", "CERTIFICATE", c.Raw), a.write(name+".key", "EC PRIVATE KEY", der)
}

// partitions connects, and returns what came of it. What a broker refuses with an answer,
// and what it accepts, does not take the time.
func partitions(t *testing.T, brokers []string, security Security, most time.Duration) error {
	t.Helper()
	s := open(t, Options{Brokers: brokers, Topics: []string{"t"}, Security: security, Timeout: most})
	_, err := s.Partitions(bounded(t))
	return err
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, other := newAuthority(t, "ours"), newAuthority(t, "other")
	certFile, keyFile := ours.issue("broker")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(ours.cert)
	c := cluster(t, 1, kfake.TLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: known, ClientAuth: tls.RequireAndVerifyClientCert,
	}))
	cert, key := ours.issue("client")
	strange, strangeKey := other.issue("stranger")
	for _, test := range []struct {
		name     string
		security Security
		want     string // of the error; "": none
	}{
		{"all well", Security{TLS: true, CA: ours.file, Cert: cert, Key: key}, ""},
		{"an authority that is not believed", Security{TLS: true, CA: other.file, Cert: cert, Key: key}, "with --kafka-ca"},
		{"the system's authorities", Security{TLS: true, Cert: cert, Key: key}, "with --kafka-ca"},
		{"no certificate of ours", Security{TLS: true, CA: ours.file}, "the broker does not take the client's certificate"},
		{"a stranger's", Security{TLS: true, CA: ours.file, Cert: strange, Key: strangeKey}, "the broker does not take the client's certificate"},
		{"without TLS", Security{}, "--kafka-tls"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			most := time.Minute
			if !test.security.TLS { // the broker does not answer
				most = 4 * time.Second
			}
			err := partitions(t, c.ListenAddrs(), test.security, most)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestSASL(t *testing.T) {
	t.Parallel()
	const secret = "correct horse \u2460" // Kafka normalizes nothing: the last character is not 1
	for _, mechanism := range Mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			c := cluster(t, 1, kfake.EnableSASL(), kfake.Superuser(strings.ToUpper(mechanism), "eve", secret))
			if err := partitions(t, c.ListenAddrs(), Security{Mechanism: mechanism, User: "eve", Password: secret}, time.Minute); err != nil {
				t.Errorf("the right password: %v", err)
			}
			for _, wrong := range []Security{
				{Mechanism: mechanism, User: "eve", Password: "wrong " + secret},
				{Mechanism: mechanism, User: "mallory", Password: secret},
				{},
			} {
				err := partitions(t, c.ListenAddrs(), wrong, 400*time.Millisecond)
				if err == nil {
					t.Errorf("user %q with a wrong password gets in", wrong.User)
				} else if strings.Contains(err.Error(), secret) {
					t.Errorf("the error has the password: %v", err)
				}
			}
		})
	}
}

// No option's text form has the password.
func TestSecret(t *testing.T) {
	o := Options{Brokers: []string{"b:1"}, Topics: []string{"t"}, Security: Security{User: "eve", Password: "correct horse"}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, o); strings.Contains(text, "correct") {
			t.Errorf("%s gives %s", format, text)
		}
	}
}

// A user who may not read the topic learns so at once.
func TestForbidden(t *testing.T) {
	c := cluster(t, 1, kfake.EnableSASL(), kfake.EnableACLs(), kfake.User("PLAIN", "eve", "pass", kfake.ACL{
		Resource: kmsg.ACLResourceTypeTopic, Name: "t", Pattern: kmsg.ACLResourcePatternTypeLiteral,
		Operation: kmsg.ACLOperationDescribe, Allow: true,
	}))
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, Security: Security{Mechanism: "plain", User: "eve", Password: "pass"}})
	if err := s.Drain(bounded(t), []Span{{"t", 0, 0, 1}}, nil); err == nil || !strings.Contains(err.Error(), "this user needs the right to read") {
		t.Errorf("got %v", err)
	}
}
