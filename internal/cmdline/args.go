// Package cmdline is what any command line has: flags anywhere among the arguments,
// help, and scripts for completion. It knows no command by name.
package cmdline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/nearest"
)

// completionFlag asks for candidates instead of a run; it comes last.
const completionFlag = "--generate-bash-completion"

// Run runs the command that the arguments name: the first is the program. The command's flags
// may come anywhere among its arguments. The library's own Run would keep text/template in the
// program, and with it each exported method of each type.
func Run(ctx context.Context, app *cli.App, args []string) error {
	words := args[min(1, len(args)):]
	if len(words) == 0 {
		return app.Action(newContext(ctx, app, FlagSet(nil)))
	}
	cmd := app.Command(words[0])
	switch {
	case words[len(words)-1] == completionFlag:
		// complete reads the words itself: what is half typed need not parse.
		if cmd == nil || len(words) == 2 {
			app.BashComplete(nil)
		} else {
			cmd.BashComplete(nil)
		}
		return nil
	case cmd == nil && strings.HasPrefix(words[0], "-") && words[0] != "-":
		name, err := globally(app, words)
		if err != nil {
			return err
		}
		about := words[1:min(2, len(words))]
		if name != HelpName || len(about) == 1 && app.Command(about[0]) == nil {
			about = nil
		}
		return start(ctx, app, app.Command(name), nil, about)
	case cmd == nil:
		set := FlagSet(nil)
		if err := Parse(set, nil, words); err != nil {
			return err
		}
		return app.Action(newContext(ctx, app, set))
	}
	flags, rest, err := Split(cmd, words[1:])
	if err != nil {
		return err
	}
	if slices.ContainsFunc(flags, asksHelp) {
		return start(ctx, app, app.Command(HelpName), nil, words[:1])
	}
	return start(ctx, app, cmd, flags, rest)
}

// start runs the command with its flags and arguments.
func start(ctx context.Context, app *cli.App, cmd *cli.Command, flags, rest []string) error {
	set := FlagSet(cmd.Flags)
	if err := Parse(set, flags, rest); err != nil {
		return err
	}
	c := newContext(ctx, app, set)
	c.Command = cmd
	if cmd.Before != nil {
		if err := cmd.Before(c); err != nil {
			return err
		}
	}
	err := cmd.Action(c)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errors.New("interrupted before the end")
	}
	return err
}

func newContext(ctx context.Context, app *cli.App, set *flag.FlagSet) *cli.Context {
	return cli.NewContext(app, set, &cli.Context{Context: ctx})
}

// FlagSet sets the flags. All names of a flag set the same value.
func FlagSet(flags []cli.Flag) *flag.FlagSet {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range flags {
		_ = f.Apply(set) // only flags that read the environment can fail
	}
	return set
}

// Parse sets the flags and the arguments, as Split parts them.
func Parse(set *flag.FlagSet, flags, rest []string) error {
	if err := set.Parse(slices.Concat(flags, []string{"--"}, rest)); err != nil {
		return usageError(err)
	}
	return nil
}

// globally reads a flag that comes before any command, and names the command that does the
// same.
func globally(app *cli.App, words []string) (string, error) {
	switch first := words[0]; {
	case asksHelp(first):
		return HelpName, nil
	case first == "--version" || first == "-version" || first == "-v" || first == "-V":
		return "version", nil
	}
	for _, word := range words[1:] {
		if app.Command(word) != nil {
			return "", fmt.Errorf("%s comes before the command: its flags follow it, as in `tracecheck %s %s`", words[0], word, words[0])
		}
	}
	return "", fmt.Errorf("unknown flag %s: begin with a command, or with --help or --version%s", words[0], nearest.Hint(words[0], []string{"--help", "--version"}))
}

// asksHelp reports whether the flag asks for help.
func asksHelp(flag string) bool {
	return strings.HasPrefix(flag, "-") && (BareName(flag) == "help" || BareName(flag) == "h")
}

// Split parts flags, with their values, from arguments. "--" ends the flags;
// "-" is an argument. Short flags may be combined: -kq.
func Split(cmd *cli.Command, args []string) (flags, rest []string, err error) {
	takes := TakesValue(cmd)
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(rest, args[i+1:]...), nil
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			rest = append(rest, arg)
			continue
		}
		for _, flag := range apart(arg, takes) {
			name, _, hasValue := strings.Cut(BareName(flag), "=")
			value, known := takes[name]
			if !known {
				if _, err := os.Stat(arg); err == nil {
					return nil, nil, fmt.Errorf("unknown flag %s: for the file of this name, write ./%s", arg, arg)
				}
				names := FlagNames(cmd)
				if near := nearest.Name("--"+name, names); near != "" {
					return nil, nil, fmt.Errorf("unknown flag %s: did you mean %s?", arg, near)
				}
				if len(names) > manyFlags {
					return nil, nil, fmt.Errorf("unknown flag %s: `tracecheck help %s` lists the flags", arg, cmd.Name)
				}
				return nil, nil, fmt.Errorf("unknown flag %s: %s has %s", arg, cmd.Name, strings.Join(names, ", "))
			}
			flags = append(flags, flag)
			if !value || hasValue {
				continue
			}
			if i++; i == len(args) {
				return nil, nil, errors.New("flag " + flag + " needs a value")
			}
			flags = append(flags, args[i])
		}
	}
	return flags, rest, nil
}

// apart splits combined short flags.
func apart(arg string, takes map[string]bool) []string {
	name, value, hasValue := strings.Cut(arg[1:], "=")
	if _, known := takes[BareName("-"+name)]; known || strings.HasPrefix(arg, "--") {
		return []string{arg}
	}
	var flags []string
	for i, c := range name {
		takesOne, known := takes[string(c)]
		if !known || takesOne && i < len(name)-1 {
			return []string{arg}
		}
		flags = append(flags, "-"+string(c))
	}
	if hasValue && len(flags) > 0 {
		flags[len(flags)-1] += "=" + value
	}
	return flags
}

// BareName is a flag's word without its one or two dashes.
func BareName(arg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
}

// TakesValue has the command's flags, by each of their names.
func TakesValue(cmd *cli.Command) map[string]bool {
	takes := map[string]bool{"help": false, "h": false}
	for _, f := range cmd.Flags {
		value := false
		if doc, ok := f.(cli.DocGenerationFlag); ok {
			value = doc.TakesValue()
		}
		for _, name := range f.Names() {
			takes[name] = value
		}
	}
	return takes
}

// FlagNames are the command's flags as they are typed.
func FlagNames(cmd *cli.Command) []string {
	var names []string
	for _, f := range cmd.Flags {
		if v, ok := f.(cli.VisibleFlag); !ok || v.IsVisible() {
			names = append(names, "--"+f.Names()[0])
		}
	}
	return append(names, "--help")
}
