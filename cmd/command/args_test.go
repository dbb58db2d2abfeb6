package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/specs"
)

// TestSplit gives the flags, " | " and the arguments, or the error.
func TestSplit(t *testing.T) {
	cmd := newApp(console.Environment{Specs: specs.All()}).Command("validate")
	for _, c := range []struct{ args, want string }{
		{"a b", " | a b"},
		{"-q a", "-q | a"},
		{"a -q b -k", "-q -k | a b"},
		{"a --output json b", "--output json | a b"},
		{"a --output=json", "--output=json | a"},
		{"a -output json", "-output json | a"},
		{"a -o json -", "-o json | a -"},
		{"-qk a", "-q -k | a"},
		{"-qo json a", "-q -o json | a"},
		{"-qo=json a", "-q -o=json | a"},
		{"-h a", "-h | a"},
		{"--spec --attach a", "--spec --attach | a"}, // the value: refused later, by name
		{"a -- -q --nonsense", " | a -q --nonsense"},
		{"a -oq json", "unknown flag -oq"},
		{"a -z", "unknown flag -z"},
		{"a -qz", "unknown flag -qz"},
		{"a --qk", "unknown flag --qk"},
		{"a ---quiet", "unknown flag ---quiet"},
		{"a --nonsense=1", "unknown flag --nonsense=1"},
		{"a -o", "flag -o needs a value"},
		{"a --max-line", "flag --max-line needs a value"},
	} {
		flags, rest, err := cmdline.Split(cmd, strings.Fields(c.args))
		got := strings.Join(flags, " ") + " | " + strings.Join(rest, " ")
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), ": ")
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.args, got, c.want)
		}
	}
}

// A flag that is nearly one is named; else all are, or what lists them.
func TestUnknownFlag(t *testing.T) {
	cmd := newApp(console.Environment{Specs: specs.All()}).Command("validate")
	for arg, want := range map[string]string{
		"--atach": "unknown flag --atach: did you mean --attach?", "-keepgoing=1": "unknown flag -keepgoing=1: did you mean --keep-going?",
		"--frobnicate": "unknown flag --frobnicate: `tracecheck help validate` lists the flags", "-x": "unknown flag -x: `tracecheck help validate` lists the flags",
	} {
		if _, _, err := cmdline.Split(cmd, []string{arg}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", arg, err, want)
		}
	}
}

// TestFlagNames holds the command to the names that scripts use.
func TestFlagNames(t *testing.T) {
	want := strings.Fields("--output --spec --steps --profile --constant --attach --keep-going --max-violations --baseline --write-baseline " +
		"--deadline --on-gap --remember --map --max-line --format --budget --quiet --verbose --no-progress --swarm --duration --color " +
		"--bind --module --config --module-path --env --any-path --full --max-states " +
		"--kafka --topic --from --until-end --kafka-tls --kafka-ca --kafka-cert --kafka-key --kafka-sasl --kafka-user " +
		"--kafka-password-file --kafka-timeout --help")
	if got := cmdline.FlagNames(newApp(console.Environment{Specs: specs.All()}).Command("validate")); !slices.Equal(got, want) {
		t.Errorf("validate has %v, want %v", got, want)
	}
}

// Each command that reads traces reads another log by rules, and by a bind file.
func TestEveryReaderMaps(t *testing.T) {
	for _, cmd := range newApp(console.Environment{Specs: specs.All()}).Commands {
		reads := strings.Contains(cmd.ArgsUsage, "TRACE") || cmd.Name == "monitor"
		for _, flag := range []string{"map", "bind"} {
			has := slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool { return f.Names()[0] == flag })
			if has != reads {
				t.Errorf("%s reads traces: %v; it has --%s: %v", cmd.Name, reads, flag, has)
			}
		}
	}
}
