package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/tidwall/gjson"
)

// walk is the baseline: each line read, each field of it and of its object
// visited, nothing kept. It checks nothing, not even that a line is JSON.
func walk(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 256<<10), 4<<20)
	fields := 0
	for lines.Scan() {
		gjson.ParseBytes(lines.Bytes()).ForEach(func(_, value gjson.Result) bool {
			fields++
			if value.IsObject() {
				value.ForEach(func(_, _ gjson.Result) bool {
					fields++
					return true
				})
			}
			return true
		})
	}
	if fields == 0 {
		return fmt.Errorf("%s has no fields", path)
	}
	return lines.Err()
}
