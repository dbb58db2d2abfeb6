//go:build !linux

package local

import "go.etcd.io/bbolt"

// release does nothing here.
func release(*bbolt.Tx) {}
