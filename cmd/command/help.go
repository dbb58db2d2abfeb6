package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"tracecheck/report"
)

const helpName = "help"

// helpColumns is how wide help is where there is no terminal; on one it is as
// wide as that, but not less than leastColumns.
const (
	helpColumns  = 100
	leastColumns = 40
)

func helpCommand(env environment) *cli.Command {
	return &cli.Command{
		Name:      helpName,
		Usage:     "list the commands, or explain one",
		ArgsUsage: "[COMMAND]",
		Action: func(c *cli.Context) error {
			h := &help{w: &strings.Builder{}, width: columns(env.stdout)}
			if h.width == 0 {
				h.width = helpColumns
			}
			h.width = max(h.width, leastColumns)
			switch c.NArg() {
			case 0:
				h.app(c.App)
			case 1:
				cmd := c.App.Command(c.Args().First())
				if cmd == nil {
					return noCommand(c.App, c.Args().Slice())
				}
				h.command(cmd)
			default:
				return fmt.Errorf("help explains one command, not %d", c.NArg())
			}
			_, err := io.WriteString(env.stdout, h.w.String())
			return err
		},
	}
}

// help writes help.
type help struct {
	w     *strings.Builder
	width int // columns
}

func (h *help) app(app *cli.App) {
	h.paragraphs("tracecheck " + app.Usage + ".\n\nUsage: tracecheck COMMAND [flags] [arguments]")
	group := ""
	for _, cmd := range app.Commands {
		if cmd.Hidden {
			continue
		}
		if cmd.Category != group {
			group = cmd.Category
			fmt.Fprintf(h.w, "\n%s:\n", group)
		}
		h.item(cmd.Name, cmd.Usage, 12)
	}
	fmt.Fprintln(h.w)
	h.paragraphs(app.Description + "\n\nTo begin with a log of your own: `tracecheck help map`. " +
		"`tracecheck help COMMAND` explains a command and lists its flags.")
}

func (h *help) command(cmd *cli.Command) {
	flags := ""
	if len(cmd.Flags) > 0 {
		flags = "[flags]"
	}
	h.paragraphs("tracecheck " + cmd.Name + ": " + cmd.Usage + ".\n\nUsage: tracecheck " +
		strings.Join(slices.DeleteFunc([]string{cmd.Name, flags, cmd.ArgsUsage}, func(s string) bool { return s == "" }), " "))
	if cmd.Description != "" {
		fmt.Fprintln(h.w)
		h.paragraphs(cmd.Description)
	}
	sections := sorted(cmd.Flags)
	column := 0
	for _, s := range sections {
		for _, f := range s.flags {
			if label, _ := flagText(f); len(label) <= h.width/3 {
				column = max(column, len(label)+1)
			}
		}
	}
	for _, s := range sections {
		fmt.Fprintf(h.w, "\n%s:\n", s.title)
		for _, f := range s.flags {
			label, text := flagText(f)
			h.item(label, text, column)
		}
	}
}

// flagText is how a flag is typed, and what it does.
func flagText(f cli.Flag) (label, text string) {
	label, text, _ = strings.Cut(f.String(), "\t")
	return label, text
}

// item writes a label, and a text beside it, from the column on. A label that is
// longer has a line of its own.
func (h *help) item(label, text string, column int) {
	lead := "  " + label
	if utf8.RuneCountInString(label) > column {
		fmt.Fprintln(h.w, lead)
		lead = ""
	}
	for _, line := range report.Wrap(text, h.width-column-3) {
		fmt.Fprintf(h.w, "%-*s %s\n", column+2, lead, line)
		lead = ""
	}
}

// paragraphs writes text whose paragraphs are parted by empty lines. One that is
// indented stays as it is.
func (h *help) paragraphs(text string) {
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			fmt.Fprintln(h.w)
		}
		if strings.HasPrefix(p, " ") {
			fmt.Fprintln(h.w, p)
			continue
		}
		for _, line := range report.Wrap(p, h.width) {
			fmt.Fprintln(h.w, line)
		}
	}
}

// flagGroup is a heading and the flags under it, by their first names.
type flagGroup struct {
	title string
	needs string // a flag without which a command has no such group
	names string
}

// flagGroups are the headings of commands with many flags, in their order. A flag
// is under the first that names it.
var flagGroups = []flagGroup{
	{"What is judged", "", "swarm follow map format max-line duration stream line around"},
	{"How it is judged", "", "spec steps profile constant attach keep-going deadline on-gap remember budget max-violations against min"},
	{"What is shown", "", "output compress after quiet verbose no-progress color log-format"},
	{"Kafka", "kafka", "kafka topic group from until-end kafka-tls kafka-ca kafka-cert kafka-key kafka-sasl kafka-user kafka-password-file kafka-timeout"},
	{"A trace spec", "module", "module config module-path env any-path full max-states"},
	{"Checkpoints", "checkpoint", "checkpoint checkpoint-topic no-checkpoint checkpoint-every start-over"},
	{"Alerts", "alerts", "alerts webhook webhook-token-file webhook-ca webhook-resolve webhook-label alert-topic max-pending public-url"},
	{"What is no event", "dead-letters", "dead-letters dead-letter-topic"},
	{"The web page", "listen", "listen listen-remote listen-host web-config"},
	{"The configuration", "config", "config dry-run"},
}

// manyFlags is how many flags a command may have without headings.
const manyFlags = 16

type flagSection struct {
	title string
	flags []cli.Flag
}

// sorted puts flags under their headings.
func sorted(flags []cli.Flag) []flagSection {
	if len(flags) == 0 {
		return nil
	}
	if len(flags) <= manyFlags {
		return []flagSection{{"Flags", flags}}
	}
	left := slices.Clone(flags)
	var sections []flagSection
	for _, g := range flagGroups {
		if g.needs != "" && !slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == g.needs }) {
			continue
		}
		s := flagSection{title: g.title}
		names := strings.Fields(g.names)
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
