package command

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/specs"
)

// Each flag of each command that is not hidden is in the help, under a heading that states more than
// "Others", and no line is wider than the terminal, but for an example on a narrow one.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	app := newApp(console.Environment{Specs: specs.All(), Stdout: &out})
	for _, width := range []int{100, 60} {
		for _, cmd := range app.Commands {
			h := &cmdline.Help{W: &strings.Builder{}, Width: width, Groups: flagGroups}
			h.Command(cmd)
			text := h.W.String()
			for _, f := range cmd.Flags {
				visible := f.(cli.VisibleFlag).IsVisible()
				if shown := regexp.MustCompile(`(?m)^  --` + f.Names()[0] + `([ ,]|$)`).MatchString(text); shown != visible {
					t.Errorf("%s: --%s in the help: %v", cmd.Name, f.Names()[0], shown)
				}
			}
			if strings.Contains(text, "\nOthers:") {
				t.Errorf("%s: flags without a heading: %s", cmd.Name, text[strings.Index(text, "\nOthers:"):])
			}
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\n")
				if utf8.RuneCountInString(line) > width && strings.Contains(strings.TrimSpace(line), " ") && (width == cmdline.HelpColumns || !strings.HasPrefix(line, "   ")) {
					t.Errorf("%s, %d columns: %s", cmd.Name, width, line)
				}
			}
		}
	}
}

// Headings name flags that there are.
func TestFlagGroups(t *testing.T) {
	have := map[string]bool{}
	for _, cmd := range newApp(console.Environment{Specs: specs.All()}).Commands {
		for _, f := range cmd.Flags {
			have[f.Names()[0]] = true
		}
	}
	for _, g := range flagGroups {
		for _, name := range strings.Fields(g.Names) {
			if !have[name] {
				t.Errorf("%s: no command has --%s", g.Title, name)
			}
		}
	}
}

// All commands are in the overview, but those that are hidden.
func TestHelpOverview(t *testing.T) {
	h := &cmdline.Help{W: &strings.Builder{}, Width: cmdline.HelpColumns}
	app := newApp(console.Environment{Specs: specs.All()})
	h.Overview(app)
	for _, cmd := range app.Commands {
		if shown := strings.Contains(h.W.String(), fmt.Sprintf("\n  %s ", cmd.Name)); shown == cmd.Hidden {
			t.Errorf("%s: shown: %v", cmd.Name, shown)
		}
	}
}
