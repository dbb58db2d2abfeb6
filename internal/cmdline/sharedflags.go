package cmdline

import (
	"flag"

	"github.com/urfave/cli/v2"
)

// sharedFlag is a flag that the library has for all runs of a process. To apply it
// would change it, also for the runs at the same time.
type sharedFlag struct{ *cli.BoolFlag }

// Apply implements cli.Flag: on a copy.
func (f *sharedFlag) Apply(set *flag.FlagSet) error {
	own := *f.BoolFlag
	return own.Apply(set)
}

func init() {
	for _, f := range []*cli.Flag{&cli.HelpFlag, &cli.BashCompletionFlag} {
		if b, ok := (*f).(*cli.BoolFlag); ok {
			*f = &sharedFlag{b}
		}
	}
}
