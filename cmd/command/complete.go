package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest/mapping/ready"
	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/generate"
	"tracecheck/monitor/config"
	"tracecheck/tlaplus/moduleflags"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

func completionCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Usage:     "print a script that completes tracecheck's commands, flags and specs",
		ArgsUsage: "bash|zsh|fish|powershell",
		Description: "Add the line of your shell to its startup file:\n\n" +
			"   bash:       source <(tracecheck completion bash)\n" +
			"   zsh:        source <(tracecheck completion zsh)\n" +
			"   fish:       tracecheck completion fish | source\n" +
			"   powershell: tracecheck completion powershell | Out-String | Invoke-Expression",
		Action: func(c *cli.Context) error {
			shells := strings.Join(cmdline.ShellNames(), ", ")
			if c.NArg() != 1 {
				return errors.New("expected one shell: " + shells)
			}
			script := cmdline.CompletionScript(c.Args().First())
			if script == "" {
				return cmdline.UnknownWord("shell", c.Args().First(), cmdline.ShellNames())
			}
			return printLines(env.Stdout, strings.TrimSuffix(script, "\n"))
		},
	}
}

// complete prints the candidates for the last word of the command line. The scripts pass all
// words up to the cursor, even an empty last one, and then completionFlag. No output means
// file names.
func complete(env console.Environment, app *cli.App, cmd *cli.Command) {
	words := env.Args[1 : len(env.Args)-1]
	if len(words) == 0 {
		return
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	var found []string
	switch {
	case cmd == nil && len(before) == 0:
		found = append(commandNames(app), "--help", "--version")
	case cmd != nil && cmd.Name == cmdline.HelpName:
		if len(before) == 1 {
			found = commandNames(app)
		}
	case cmd != nil:
		found = candidates(env.Specs, cmd, before[1:], last)
	}
	var fit []string
	for _, word := range found {
		if strings.HasPrefix(word, last) {
			fit = append(fit, word)
		}
	}
	printLines(env.Stdout, fit...) // an error means that the shell has ended
}

// candidates returns the words that can follow.
func candidates(all []*validators.Spec, cmd *cli.Command, before []string, last string) []string {
	if name, _, ok := strings.Cut(last, "="); ok && strings.HasPrefix(name, "-") {
		var found []string
		for _, value := range flagValues(all, cmd, cmdline.BareName(name)) {
			found = append(found, name+"="+value)
		}
		return found
	}
	before = slices.DeleteFunc(slices.Clone(before), func(w string) bool { return w == "=" }) // bash splits --flag=value
	if n := len(before); n > 0 && strings.HasPrefix(before[n-1], "-") && cmdline.TakesValue(cmd)[cmdline.BareName(before[n-1])] {
		return flagValues(all, cmd, cmdline.BareName(before[n-1]))
	}
	if strings.HasPrefix(last, "-") {
		return cmdline.FlagNames(cmd)
	}
	flags, args, err := cmdline.Split(cmd, before)
	if err != nil {
		return nil
	}
	if cmd.Name == "specs" && len(args) == 0 {
		if read := moduleflags.DescribedBy(flags); read != nil {
			return ruleNames(read)
		}
	}
	switch {
	case cmd.Name == "completion" && len(args) == 0:
		return cmdline.ShellNames()
	case cmd.Name == "map" && len(args) == 0:
		return append(ready.Names(), mapTest)
	case cmd.Name == "map" && len(args) == 1 && args[0] == mapTest:
		return ready.Names()
	case cmd.Name == "import" && len(args) == 0:
		return []string{"raft"}
	case cmd.Name == "checkpoint" && len(args) == 0:
		return checkpointDeeds()
	case cmd.Name == "export" && len(args) == 0:
		return []string{asITF, asTLA}
	case cmd.Name == "specs" && len(args) == 0:
		return judgeflags.SpecNames(all)
	case cmd.Name == "specs" && len(args) == 1:
		if spec := findSpec(all, args[0]); spec != nil {
			return ruleNames(spec)
		}
	}
	return nil
}

// flagValues returns the possible values of a flag, if they are known.
func flagValues(all []*validators.Spec, cmd *cli.Command, name string) []string {
	for _, f := range cmd.Flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		if generic, ok := f.(*cli.GenericFlag); ok {
			if v, ok := generic.Value.(interface{ Candidates() []string }); ok {
				return v.Candidates()
			}
		}
	}
	switch name { // flags of the library without a type of their own
	case "profile":
		return validators.ProfileNames(all)
	case "alerts":
		return []string{"-", flagvalue.None}
	case "listen":
		return []string{config.DefaultListen, flagvalue.None}
	case "violate":
		return generate.RuleNames()
	case "map", "show":
		return ready.Names() // without a match, the shell completes file names
	case "constant":
		return judgeflags.ConstantNames(all)
	}
	return nil
}
