// Package files reads small files whole: configuration, secrets and certificates.
package files

import (
	"crypto/x509"
	"fmt"
	"io"
	"os"
)

// The most that a file may have, in bytes. They are far above what is of use: a
// larger file is another one than was meant.
const (
	Secret   = 64 << 10 // a password, a token or a key
	PEM      = 4 << 20  // certificates
	Document = 8 << 20  // rules, a configuration or a report
)

// Read returns what the file holds. A file of more than most bytes is an error,
// and is not read.
func Read(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it is only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > most { // a pipe has none
		return nil, fmt.Errorf("%s has %d bytes, and at most %d are read: is it the right file?", name, size, most)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes, which is the most that is read: is it the right file?", name, most)
	}
	return data, err
}

// Authorities are the certificates in a PEM file.
func Authorities(name string) (*x509.CertPool, error) {
	pem, err := Read(name, PEM)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM", name)
	}
	return pool, nil
}
