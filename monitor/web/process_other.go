//go:build !linux && !windows && !darwin

package web

// process has no metrics on this operating system.
func process() map[processMetric]float64 { return nil }
