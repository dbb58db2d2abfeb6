package cmdline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/report"
)

const HelpName = "help"

// HelpColumns is how wide help is where there is no terminal; on one it is as
// wide as that, but not less than leastColumns.
const (
	HelpColumns  = 100
	leastColumns = 40
)

// HelpCommand makes the command that explains the others. unknown says what is wrong
// with the name of a command that there is not.
func HelpCommand(stdout io.Writer, groups []FlagGroup, unknown func(*cli.App, []string) error) *cli.Command {
	return &cli.Command{
		Usage:     "list the commands, or explain one",
		ArgsUsage: "[COMMAND]",
		Action: func(c *cli.Context) error {
			h := &Help{W: &strings.Builder{}, Width: width(stdout), Groups: groups}
			switch cmd := c.App.Command(c.Args().First()); {
			case c.NArg() == 0:
				h.Overview(c.App)
			case cmd == nil:
				return unknown(c.App, c.Args().Slice())
			case c.App.Command(c.Args().Get(1)) != nil:
				return fmt.Errorf("help explains one command, not %d", c.NArg())
			default: // such as export, also for "help export tla"
				h.Command(cmd)
			}
			_, err := io.WriteString(stdout, h.W.String())
			return err
		},
	}
}

// width is how wide help is on stdout.
func width(stdout io.Writer) int {
	return max(cmp.Or(console.Columns(stdout), HelpColumns), leastColumns)
}

// Items returns labels, each with a text beside it, as lines of the width of help.
func Items(stdout io.Writer, list [][2]string) (lines []string) {
	column := 0
	for _, item := range list {
		column = max(column, len(item[0])+2)
	}
	for _, item := range list {
		label := item[0]
		for _, line := range report.Wrap(item[1], width(stdout)-column) {
			lines, label = append(lines, fmt.Sprintf("%-*s%s", column, label, line)), ""
		}
	}
	return lines
}

// Help writes help.
type Help struct {
	W     *strings.Builder
	Width int // columns

	Groups []FlagGroup // headings
}

func (h *Help) Overview(app *cli.App) {
	h.paragraphs("tracecheck " + app.Usage + ".\n\nUsage: tracecheck COMMAND [flags] [arguments]")
	group := ""
	for _, cmd := range app.Commands {
		if cmd.Hidden {
			continue
		}
		if cmd.Category != group {
			group = cmd.Category
			fmt.Fprintf(h.W, "\n%s:\n", group)
		}
		h.item(cmd.Name, cmd.Usage, 12)
	}
	fmt.Fprintln(h.W)
	h.paragraphs(app.Description + "\n\nTo begin with a log of your own: `tracecheck help map`, or, with your own TLA+ module, `tracecheck help bind`. " +
		"`tracecheck help COMMAND` explains a command and lists its flags.")
}

func (h *Help) Command(cmd *cli.Command) {
	flags := ""
	if len(cmd.Flags) > 0 {
		flags = "[flags]"
	}
	h.paragraphs("tracecheck " + cmd.Name + ": " + cmd.Usage + ".\n\nUsage: tracecheck " +
		strings.Join(slices.DeleteFunc([]string{cmd.Name, flags, cmd.ArgsUsage}, func(s string) bool { return s == "" }), " "))
	if cmd.Description != "" {
		fmt.Fprintln(h.W)
		h.paragraphs(cmd.Description)
	}
	sections := h.sorted(cmd.Flags)
	column := 0
	for _, s := range sections {
		for _, f := range s.flags {
			if label, _ := flagText(f); len(label) <= h.Width/3 {
				column = max(column, len(label)+1)
			}
		}
	}
	for _, s := range sections {
		fmt.Fprintf(h.W, "\n%s:\n", s.title)
		for _, f := range s.flags {
			label, text := flagText(f)
			h.item(label, text, column)
		}
	}
}

// flagText is how a flag is typed, and what it does.
func flagText(f cli.Flag) (label, text string) {
	label, text, _ = strings.Cut(f.String(), "\t")
	if _, values, ok := strings.Cut(label, " "); ok && strings.Contains(values, "|") {
		text = strings.Replace(text, ": "+values, "", 1) // the label has them
	}
	if before, value, ok := strings.Cut(text, `(default: "`); ok {
		text = before + "(default: " + strings.Replace(value, `")`, ")", 1)
	}
	return label, durations.Replace(text)
}

// durations shortens what Go prints.
var durations = strings.NewReplacer("h0m0s", "h", "m0s", "m")

// item writes a label, and a text beside it, from the column on. A label that is
// longer is on a separate line.
func (h *Help) item(label, text string, column int) {
	lead := "  " + label
	if utf8.RuneCountInString(label) > column {
		fmt.Fprintln(h.W, lead)
		lead = ""
	}
	for _, line := range report.Wrap(text, h.Width-column-3) {
		fmt.Fprintf(h.W, "%-*s %s\n", column+2, lead, line)
		lead = ""
	}
}

// paragraphs writes text whose paragraphs are parted by empty lines. One that is
// indented stays as it is.
func (h *Help) paragraphs(text string) {
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			fmt.Fprintln(h.W)
		}
		if strings.HasPrefix(p, " ") {
			fmt.Fprintln(h.W, p)
			continue
		}
		for _, line := range report.Wrap(p, h.Width) {
			fmt.Fprintln(h.W, line)
		}
	}
}

// FlagGroup is a heading and the flags under it, by their first names.
type FlagGroup struct {
	Title string
	Needs string // a flag without which a command has no such group
	Names string // parted by spaces
}

// manyFlags is how many flags help lists without headings, and an error in a row.
const manyFlags = 16

type flagSection struct {
	title string
	flags []cli.Flag
}

// sorted puts flags under their headings.
func (h *Help) sorted(flags []cli.Flag) []flagSection {
	flags = slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		v, ok := f.(cli.VisibleFlag)
		return ok && !v.IsVisible()
	})
	if len(flags) == 0 {
		return nil
	}
	if len(flags) <= manyFlags {
		return []flagSection{{"Flags", flags}}
	}
	left := slices.Clone(flags)
	var sections []flagSection
	for _, g := range h.Groups {
		if g.Needs != "" && !slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == g.Needs }) {
			continue
		}
		s := flagSection{title: g.Title}
		names := strings.Fields(g.Names)
		left = slices.DeleteFunc(left, func(f cli.Flag) bool {
			if !slices.Contains(names, f.Names()[0]) {
				return false
			}
			s.flags = append(s.flags, f)
			return true
		})
		if len(s.flags) > 0 {
			sections = append(sections, s)
		}
	}
	if len(left) > 0 {
		sections = append(sections, flagSection{"Others", left})
	}
	return sections
}
