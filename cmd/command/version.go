package command

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/version"
)

func versionCommand(env console.Environment) *cli.Command {
	output := outputChoice()
	return &cli.Command{
		Usage: "print the version",
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: output, Usage: "`FORMAT`: text or json"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("version takes no argument, not %q", c.Args().First())
			}
			v := version.Read()
			if output.Value == outputJSON {
				return json.NewEncoder(env.Stdout).Encode(v)
			}
			return printLines(env.Stdout, v.Lines()...)
		},
	}
}
