package main

import (
	"fmt"
	"strings"
	"time"
)

// manual is a help text as a manual page, in the macros of man(7), as help2man does
// it: a line that ends in a colon, with indented lines below it, is a heading; an
// indented line is an item, whose label ends before two blanks; lines below it, indented
// further, continue its text.
func manual(name, version string, made time.Time, help string) []byte {
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(help), "\n")
	summary := strings.TrimSuffix(lines[0], ".")
	summary = strings.TrimPrefix(strings.TrimPrefix(summary, strings.Replace(name, "-", " ", 1)), ":")
	fmt.Fprintf(&b, ".TH %s 1 %s \"tracecheck %s\"\n.SH NAME\n", strings.ToUpper(name), made.UTC().Format(time.DateOnly), version)
	fmt.Fprintf(&b, "%s \\- %s\n", roff(name), roff(strings.TrimSpace(summary)))
	item := false
	for i, line := range lines[1:] {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		next := ""
		if i+2 < len(lines) {
			next = lines[i+2]
		}
		usage, isUsage := strings.CutPrefix(line, "Usage: ")
		label, rest, hasText := strings.Cut(text, "  ")
		switch {
		case text == "":
			b.WriteString(".PP\n")
			item = false
		case isUsage:
			fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n", roff(usage))
		case indent == 0 && strings.HasSuffix(text, ":") && strings.HasPrefix(next, "  "):
			fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(strings.TrimSuffix(text, ":"))))
		case indent == 2:
			fmt.Fprintf(&b, ".TP\n.B %s\n", roff(label))
			if item = true; hasText {
				fmt.Fprintln(&b, roff(strings.TrimSpace(rest)))
			}
		case indent > 2 && !item: // an example
			fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(line))
		default:
			fmt.Fprintln(&b, roff(text))
		}
	}
	return []byte(b.String())
}

// roff escapes what roff would take for its own.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "`", `\(ga`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
