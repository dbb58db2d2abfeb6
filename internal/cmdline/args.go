// Package cmdline is what any command line has: flags anywhere among the arguments,
// help, and scripts for completion. It knows no command by name.
package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/nearest"
)

// completionFlag asks for candidates instead of a run; it comes last.
const completionFlag = "--generate-bash-completion"

// Arrange puts a command's flags before its arguments, so that they may stand
// anywhere: the library stops at the first argument. It finds unknown flags,
// too.
func Arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	cmd := app.Command(args[1])
	if cmd == nil && strings.HasPrefix(args[1], "-") && !completing(args) {
		return globally(app, args)
	}
	if completing(args) {
		// complete reads the words itself: what is half typed need not parse.
		if cmd == nil || len(args) == 3 {
			return []string{args[0], completionFlag}, nil
		}
		return []string{args[0], args[1], completionFlag}, nil
	}
	if cmd == nil {
		return args, nil
	}
	flags, rest, err := Split(cmd, args[2:])
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(flags, asksHelp) {
		return []string{args[0], HelpName, "--", args[1]}, nil
	}
	return slices.Concat(args[:2], flags, []string{"--"}, rest), nil
}

// globally reads a flag that comes before any command: there are those that
// commands have that do nothing else.
func globally(app *cli.App, args []string) ([]string, error) {
	switch {
	case asksHelp(args[1]):
		return []string{args[0], HelpName}, nil
	case args[1] == "--version" || args[1] == "-version" || args[1] == "-v" || args[1] == "-V":
		return []string{args[0], "version"}, nil
	}
	for _, word := range args[2:] {
		if app.Command(word) != nil {
			return nil, fmt.Errorf("%s comes before the command: its flags follow it, as in `tracecheck %s %s`", args[1], word, args[1])
		}
	}
	return nil, fmt.Errorf("unknown flag %s: begin with a command, or with --help or --version%s", args[1], nearest.Hint(args[1], []string{"--help", "--version"}))
}

// asksHelp reports whether the flag asks for help.
func asksHelp(flag string) bool {
	return strings.HasPrefix(flag, "-") && (BareName(flag) == "help" || BareName(flag) == "h")
}

func completing(args []string) bool { return args[len(args)-1] == completionFlag }

// Split parts flags, with their values, from arguments. "--" ends the flags;
// "-" is an argument. Short flags may stand together: -kq.
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
				names := FlagNames(cmd)
				if near := nearest.Name("--"+name, names); near != "" {
					return nil, nil, fmt.Errorf("unknown flag %s: did you mean %s?", arg, near)
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

// apart splits short flags that stand together.
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
		names = append(names, "--"+f.Names()[0])
	}
	return append(names, "--help")
}
