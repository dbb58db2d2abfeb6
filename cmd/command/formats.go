package command

import (
	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/report"
)

// colors are the values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// textOptions is how text on stdout looks. auto keeps to no-color.org.
func textOptions(env console.Environment, color string) report.TextOptions {
	auto := color == colorAuto && console.IsTerminal(env.Stdout) && env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb"
	return report.TextOptions{Color: auto || color == colorAlways, Width: console.Columns(env.Stdout)}
}

func colorChoice() *flagvalue.Choice {
	return &flagvalue.Choice{Value: colorAuto, Allowed: []string{colorAuto, colorAlways, colorNever}}
}

func colorFlag(color *flagvalue.Choice) cli.Flag {
	return &cli.GenericFlag{Name: "color", Value: color, Usage: "use colours: `auto|always|never`; auto means on a terminal, unless NO_COLOR is set"}
}

func noProgressFlag(set *bool) cli.Flag {
	return &cli.BoolFlag{Name: "no-progress", Destination: set, Usage: "show no progress bar", DisableDefaultText: true}
}

// The formats of --output.
const (
	outputText   = "text"
	outputJSON   = "json"
	outputHTML   = "html"
	outputJUnit  = "junit"
	outputSARIF  = "sarif"
	outputGitHub = "github"
)

// resultOutputs are the outputs of a result of validate.
func resultOutputs() *flagvalue.Outputs {
	return &flagvalue.Outputs{Stdout: outputText, Allowed: []string{outputText, outputJSON, outputHTML, outputJUnit, outputSARIF, outputGitHub}}
}

func outputChoice() *flagvalue.Choice {
	return &flagvalue.Choice{Output: true, Value: outputText, Allowed: []string{outputText, outputJSON}}
}

// The values of --format.
const (
	formatAuto  = "auto"
	formatLines = "jsonl"
	formatITF   = "itf"
)
