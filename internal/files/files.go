// Package files reads and writes files whole: configuration, secrets and certificates.
package files

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The most that a file may have, in bytes. They are far above what is of use: a
// larger file is another one than was meant.
const (
	Secret   = 64 << 10 // a password, a token or a key
	PEM      = 4 << 20  // certificates
	Document = 8 << 20  // rules, a configuration, a report or a module
	Log      = 1 << 30  // what a module reads as a whole
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

// Real is the name without symbolic links. A file that does not exist keeps its name.
func Real(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// Replace writes the file as a whole: a reader finds what was there, or all of the
// data. A device stays what it is, and so does a symbolic link.
func Replace(name string, data []byte) error {
	return ReplaceBy(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceBy is Replace with what write writes. The file keeps its permissions. A mount, or a
// file in a folder that may not be written to, is written in place.
func ReplaceBy(name string, write func(io.Writer) error) error {
	mode, next := os.FileMode(0o666), name
	if !IsDevice(name) {
		name = Real(name)
		next = name + ".new"
	}
	info, there := os.Stat(name)
	if there == nil {
		mode = info.Mode().Perm()
		if info.IsDir() {
			next = name // to open it says so
		}
	}
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil && there == nil && next != name {
		next = name
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, mode)
	}
	if err != nil {
		return Advise(err)
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if next == name {
		return err
	}
	if err == nil {
		err = os.Rename(next, name)
	}
	if errors.Is(err, syscall.EBUSY) { // the file is a mount
		var data []byte
		if data, err = os.ReadFile(next); err == nil {
			defer os.Remove(next)
			return os.WriteFile(name, data, mode)
		}
	}
	if err != nil {
		os.Remove(next) // it is not whole, or nobody's
	}
	return err
}

// ReadSecret returns the text of a file, without the space around it. What it is,
// such as "password", is for errors.
func ReadSecret(name, what string) (string, error) {
	data, err := Read(name, Secret)
	if err != nil {
		return "", fmt.Errorf("cannot read the %s: %w: check the name and permissions of the file", what, err)
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" {
		return "", fmt.Errorf("there is no %s in %s", what, name)
	}
	return secret, nil
}

// KeyPair is the certificate in a PEM file, with its key in another.
func KeyPair(cert, key string) (tls.Certificate, error) {
	certPEM, err := Read(cert, PEM)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyPEM, err := Read(key, PEM)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certPEM, keyPEM)
}

// Authorities are the certificates in a PEM file.
func Authorities(name string) (*x509.CertPool, error) {
	pem, err := Read(name, PEM)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate authority: %w: name a file in PEM", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM", name)
	}
	return pool, nil
}
