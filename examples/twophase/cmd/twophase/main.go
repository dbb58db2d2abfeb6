// Command twophase is tracecheck for two-phase commit.
package main

import (
	"tracecheck/cmd/command"
	"tracecheck/examples/twophase"
)

func main() { command.Main(twophase.Spec) }
