// Command tracecheck checks recorded production logs against TLA+ specs: did
// production do what the spec allows?
package main

import (
	"tracecheck/cmd/command"
	"tracecheck/specs"
)

func main() { command.Main(specs.All()...) }
