package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"github.com/moby/swarmkit/v2/manager/state/raft/storage"
	"go.etcd.io/etcd/raft/v3/raftpb"
)

// locked makes the directory of a swarm that has nothing but its cluster, and
// returns the unlock key as Docker prints it.
func locked(t *testing.T, dir string) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key, lock := encryption.GenerateSecretKey(), encryption.GenerateSecretKey()
	log := &storage.EncryptedRaftLogger{StateDir: filepath.Join(dir, "raft"), EncryptionKey: key}
	must(log.BootstrapNew(nil))
	data, err := (&api.InternalRaftRequest{Action: []api.StoreAction{{
		Action: api.StoreActionKindCreate, Target: &api.StoreAction_Cluster{Cluster: &api.Cluster{}},
	}}}).Marshal()
	must(err)
	must(log.SaveEntries(raftpb.HardState{Term: 1, Commit: 1}, []raftpb.Entry{{Index: 1, Term: 1, Data: data}}))
	log.Close(context.Background())

	encrypter, _ := encryption.Defaults(lock, false)
	wrapped, err := encryption.Encrypt(key, encrypter)
	must(err)
	must(os.Mkdir(filepath.Join(dir, "certificates"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "certificates", "swarm-node.key"), pem.EncodeToMemory(&pem.Block{
		Type: "PRIVATE KEY", Headers: map[string]string{"raft-dek": base64.StdEncoding.EncodeToString(wrapped)},
	}), 0o600))
	return encryption.HumanReadableKey(lock)
}

func TestRun(t *testing.T) {
	dir, files := t.TempDir(), t.TempDir()
	key := locked(t, dir)
	file := func(name, content string) string {
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right, empty := file("right", key+"\n"), file("empty", "")
	wrong := file("wrong", encryption.HumanReadableKey(encryption.GenerateSecretKey()))
	out := filepath.Join(files, "out")
	const trace = `{"kind":"meta","object":{"constants":{"max_terminated":0},"format":1,"profile":"moby","spec":["swarmkit","portallocator"],"steps":"batched"}}` + "\n"
	for _, test := range []struct {
		args   string
		env    string
		status int
		stdout string
		stderr string
	}{
		{"--unlock-key-file " + right + " " + dir, "", 0, trace, "the log after entry 0 up to 1: 0 steps, 0 lines, 0 entries rejected\n"},
		{dir + " --from-start", key, 0, trace, "0 steps"},
		{dir + " --unlock-key-file " + right, "wrong, but a flag wins", 0, trace, ""},
		{dir + " -o " + out, key, 0, "", "0 steps"},
		{dir + " -output " + out, key, 2, "", "file exists"},
		{dir, "", 2, "", "give it with --unlock-key-file FILE or in $TRACECHECK_UNLOCK_KEY"},
		{dir + " --unlock-key-file " + wrong, "", 2, "", "not with this unlock key"},
		{dir + " --unlock-key-file " + empty, "", 2, "", empty + " holds no unlock key: expected one line SWMKEY-1-…"},
		{dir, "SWMKEY", 2, "", "$TRACECHECK_UNLOCK_KEY holds no unlock key"},
		{dir + " --unlock-key-file " + files + "/none", "", 2, "", "no such file"},
		{files, "", 2, "", "has no raft directory"},
		{"", "", 2, "", "expected one directory"},
		{dir + " " + dir, "", 2, "", "expected one directory"},
		{dir + " --frobnicate", "", 2, "", "frobnicate"},
		{"--help", "", 0, "usage: tracecheck-raft [flags] DIR", ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(test.args), func(string) string { return test.env }, &stdout, &stderr)
		if status != test.status || !strings.HasPrefix(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q; want %+v", test.args, status, stdout.String(), stderr.String(), test)
		}
		if strings.Contains(stderr.String(), key) {
			t.Errorf("%s: the key is printed: %s", test.args, stderr.String())
		}
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != trace {
		t.Errorf("%q, %v", got, err)
	}
}

// No name steers the terminal that an error is shown on.
func TestErrorsSteerNothing(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := run([]string{t.TempDir() + "/\u009b2J\u202e\x1b"}, func(string) string { return "" }, &stdout, &stderr); status != statusFailed {
		t.Errorf("exit status %d", status)
	}
	if text := stderr.String(); strings.ContainsAny(text, "\u009b\u202e\x1b") || !strings.Contains(text, `\u009b2J\u202e\u001b`) {
		t.Errorf("stderr has %q", text)
	}
}
