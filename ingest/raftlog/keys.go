package raftlog

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"

	"tracecheck/internal/files"
)

// The PEM headers with the keys of the log. During a key rotation there are
// two, and either may have encrypted a record.
var keyHeaders = []string{"raft-dek-pending", "raft-dek"}

// ErrLocked means that the directory cannot be read without an unlock key.
var ErrLocked = errors.New("the swarm is locked")

// decrypter returns a decrypter for the log. unlock is nil if no unlock key was
// given. An unlocked swarm needs none.
func decrypter(path string, unlock []byte) (encryption.Decrypter, error) {
	text, err := files.Read(path, files.PEM)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no key of the log at %s: copy the certificates directory along with the raft directory", path)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is not a PEM file: copy it again", path)
	}
	var all []encryption.Decrypter
	for _, name := range keyHeaders {
		value, ok := block.Headers[name]
		if !ok {
			continue
		}
		key, err := unwrap(value, unlock)
		if err != nil {
			return nil, fmt.Errorf("%s, header %s: %w", path, name, err)
		}
		_, d := encryption.Defaults(key, false)
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no key of the log: its node was no manager when it was copied", path)
	}
	return encryption.NewMultiDecrypter(all...), nil
}

// unwrap returns a key of the log. A locked swarm encrypts it with the unlock
// key.
func unwrap(value string, unlock []byte) ([]byte, error) {
	wrapped, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return nil, err
	}
	var record api.MaybeEncryptedRecord
	if err := record.Unmarshal(wrapped); err != nil {
		return nil, err
	}
	if record.Algorithm == api.MaybeEncryptedRecord_NotEncrypted {
		return record.Data, nil
	}
	if unlock == nil {
		return nil, fmt.Errorf("%w: its unlock key is needed (docker swarm unlock-key shows it on a running manager)", ErrLocked)
	}
	_, d := encryption.Defaults(unlock, false)
	key, err := d.Decrypt(record)
	if err != nil {
		return nil, fmt.Errorf("%w, and not with this unlock key: a rotated key opens only copies from its own time", ErrLocked)
	}
	return key, nil
}
