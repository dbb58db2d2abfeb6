//go:build !linux

package garbage

func advises() bool { return false }

func advise([]byte) {}
