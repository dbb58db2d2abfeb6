package raftlog

import (
	"errors"
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
)

func TestLocked(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	unlocked := m.mustRead(Options{UnlockKey: []byte("a key that nobody needs")})
	lock := encryption.GenerateSecretKey()
	m.writeKeys(lock, m.logger.EncryptionKey)
	text, _, err := m.read(Options{UnlockKey: lock})
	m.must(err)
	compare(t, text, unlocked)
	for _, test := range []struct {
		key  []byte
		part string
	}{
		{nil, "the swarm is locked: its unlock key is needed"},
		{encryption.GenerateSecretKey(), "the swarm is locked, and not with this unlock key"},
		{[]byte("short"), "not with this unlock key"},
		{[]byte{}, "not with this unlock key"},
	} {
		if _, _, err := m.read(Options{UnlockKey: test.key}); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), test.part) {
			t.Errorf("%x: %v, want %s", test.key, err, test.part)
		}
	}
}

// TestRotation: a swarm that is locked again gets new keys for its log.
func TestRotation(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 1)))
	first, second := m.logger.EncryptionKey, encryption.GenerateSecretKey()
	m.writeKeys(nil, first, second)
	m.logger.RotateEncryptionKey(second)
	m.commit(update(node("n1", api.NodeStatus_UNKNOWN, 2)))
	m.snapshot(existing(), true)
	m.commit(update(node("n1", api.NodeStatus_DOWN, 4)))
	newest := m.mustRead(Options{})
	if text := m.mustRead(Options{FromStart: true}); strings.Count(text, `"seq"`) != 3 {
		t.Errorf("with both keys:\n%s", text)
	}

	m.writeKeys(nil, second)
	compare(t, m.mustRead(Options{}), newest)
	text, l, err := m.read(Options{FromStart: true})
	m.must(err)
	compare(t, text, newest)
	wantNote(t, l, "entry 1 cannot be decrypted with this directory's keys, which may have changed since")

	m.writeKeys(nil, encryption.GenerateSecretKey())
	if _, _, err := m.read(Options{}); err == nil || !strings.Contains(err.Error(), "cannot be decrypted with this directory's keys") {
		t.Error(err)
	}
}
