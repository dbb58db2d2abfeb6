package main

import (
	"fmt"
	"strings"

	"github.com/moby/swarmkit/v2/manager/encryption"

	"tracecheck/internal/files"
)

// keyVariable is an environment variable. There is no flag for the key: all
// users of a machine can read command lines.
const keyVariable = "TRACECHECK_UNLOCK_KEY"

// unlockKey returns nil if no key was given.
func unlockKey(path string, getenv func(string) string) ([]byte, error) {
	source, text := "$"+keyVariable, getenv(keyVariable)
	if path != "" {
		raw, err := files.Read(path, files.Secret)
		if err != nil {
			return nil, err
		}
		source, text = path, string(raw)
	} else if text == "" {
		return nil, nil
	}
	key, err := encryption.ParseHumanReadableKey(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%s holds no unlock key: expected one line SWMKEY-1-…, as docker swarm unlock-key -q prints it", source)
	}
	return key, nil
}
