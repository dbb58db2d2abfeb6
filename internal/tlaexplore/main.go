// Tlaexplore counts the states of a small TLA+ model, as TLC does: it shows that
// the evaluator is right. It is for tests.
//
//	go run ./internal/tlaexplore --json MODULE CFG
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	asJSON := flag.Bool("json", false, "print one JSON object")
	most := flag.Int("most", 2_000_000, "stop with an error after so many states")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: tlaexplore [--json] MODULE CFG")
		os.Exit(2)
	}
	counts, err := explore(flag.Arg(0), flag.Arg(1), *most)
	if err != nil {
		if *asJSON {
			_ = json.NewEncoder(os.Stdout).Encode(map[string]string{"error": err.Error()})
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	if *asJSON {
		_ = json.NewEncoder(os.Stdout).Encode(counts)
		return
	}
	fmt.Printf("%d distinct states, %d generated, depth %d, %d edges\n", counts.Distinct, counts.Generated, counts.Depth, counts.Edges)
}
