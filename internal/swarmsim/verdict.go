package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// verdict is what tracecheck says, as docs/format.md describes it.
type verdict struct {
	Verdict    string      `json:"verdict"`
	Reason     string      `json:"reason"`
	Gaps       int         `json:"gaps"`
	Events     int         `json:"events"`
	Steps      int         `json:"steps"`
	Violations []violation `json:"violations"`
}

type violation struct {
	Kind      string `json:"kind"`
	Rule      string `json:"rule"`
	Line      int    `json:"line"`
	FirstLine int    `json:"first_line"`
	LastLine  int    `json:"last_line"`
	Message   string `json:"message"`
}

func (v *violation) String() string { return fmt.Sprintf("line %d: %s: %s", v.Line, v.Rule, v.Message) }

// judge runs tracecheck validate.
func judge(tracecheck, file string, args ...string) (*verdict, error) {
	args = append([]string{"validate", "--keep-going", "--no-progress", "--output", "json"}, args...)
	c := exec.Command(tracecheck, append(args, file)...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || len(out) == 0) {
		return nil, fmt.Errorf("%v: %w: %s", c.Args, err, &errs)
	}
	return readVerdict(out)
}

func readVerdict(out []byte) (*verdict, error) {
	v := &verdict{}
	if err := json.Unmarshal(out, v); err != nil {
		return nil, fmt.Errorf("the verdict %.200q: %w", out, err)
	}
	return v, nil
}

// wait is the obligation that a violation of kind liveness is about.
type obligation struct {
	id, slot string // the service's; slot "": the whole service
	action   string // what it waits for
	since    int    // the line
}

var obligationText = regexp.MustCompile(`^service (\S+?),?(?: (?:the slot of node|slot) (\S+),)? waits for (\w+) since \S+:(\d+)`)

// obligation is nil for other violations.
func (v *violation) obligation() *obligation {
	m := obligationText.FindStringSubmatch(v.Message)
	if v.Kind != "liveness" || m == nil {
		return nil
	}
	since, err := strconv.Atoi(m[4])
	if err != nil {
		return nil
	}
	return &obligation{id: m[1], slot: m[2], action: m[3], since: since}
}
