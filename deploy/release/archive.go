package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// archive writes the binary and the files beside it: gzipped tar, zip for Windows.
func (r *release) archive(p platform, name, binary string) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	files := append([]shared{{filepath.Base(binary), program}}, r.share...)
	var b bytes.Buffer
	if p.os == "windows" {
		w := zip.NewWriter(&b)
		for _, f := range files {
			part, err := w.CreateHeader(&zip.FileHeader{Name: name + "/" + f.name, Method: zip.Deflate, Modified: r.made})
			if err != nil {
				return err
			}
			if _, err := part.Write(f.data); err != nil {
				return err
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
		return r.write(name+".zip", b.Bytes())
	}
	w := tar.NewWriter(&b)
	for i, f := range files {
		mode := int64(0o644)
		if i == 0 {
			mode = 0o755
		}
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + f.name, Mode: mode, Size: int64(len(f.data)), ModTime: r.made}); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return r.write(name+".tar.gz", zipped(b.Bytes()))
}

func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o666)
}

// checksums is the name of the file that sha256sum -c reads.
const checksums = "SHA256SUMS"

func writeChecksums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	return os.WriteFile(filepath.Join(dir, checksums), b.Bytes(), 0o666)
}
