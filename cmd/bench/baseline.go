package main

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildOf builds the tool of a commit of this repository, in a worktree that is
// removed again.
func (b *bench) buildOf(commit string) (tool string, err error) {
	tree := filepath.Join(b.dir, "baseline")
	if out, err := exec.Command("git", "worktree", "add", "--detach", tree, commit).CombinedOutput(); err != nil {
		return "", fmt.Errorf("git worktree add %s: %v\n%s", commit, err, tail(out))
	}
	defer func() {
		if out, failed := exec.Command("git", "worktree", "remove", "--force", tree).CombinedOutput(); failed != nil {
			err = errors.Join(err, fmt.Errorf("git worktree remove %s: %v\n%s", tree, failed, tail(out)))
		}
	}()
	tool = filepath.Join(b.dir, "tracecheck-baseline")
	return tool, build(tree, tool)
}

// against compares this build with that of the commit, on what the comparisons read. The
// first row compares this build with itself: what its median differs from 1 is the noise.
// A row is no difference if that is within the noise, or if its runs disagree which build
// is faster.
func (b *bench) against(commit string, list []comparison) error {
	before, err := b.buildOf(commit)
	if err != nil {
		return err
	}
	var noise float64
	seen := map[string]bool{}
	for _, c := range list {
		key := fmt.Sprint(c.a.args, c.a.env)
		if len(c.a.args) == 0 || c.a.args[0] != b.tool || seen[key] {
			continue
		}
		seen[key] = true
		if len(seen) == 1 {
			same := comparison{name: "noise: this build / itself", prepare: c.prepare, a: c.a, b: c.a}
			ratios, err := b.compare(&same)
			if err != nil {
				return err
			}
			noise = math.Abs(median(ratios) - 1)
		}
		subject, _, _ := strings.Cut(c.name, " / ")
		if !strings.Contains(c.name, b.only) {
			continue
		}
		c.name, c.b, c.memory, c.noise = subject+": this build / "+commit, c.a.by(before), nil, &noise
		if _, err := b.compare(&c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// by is the command, run by another build of the tool.
func (c command) by(tool string) command {
	c.args = append([]string{tool}, c.args[1:]...)
	if c.begin != nil {
		begin := c.begin.by(tool)
		c.begin = &begin
	}
	return c
}
