package report

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"tracecheck/postmortem/explain"
	"tracecheck/validators"
)

// Section is a part of an explanation as plain text, to be shown in a fixed-width font.
type Section struct {
	Title string
	Text  string // with a newline at its end
}

// sectionWidth is how wide the text of a section is: wider lines are cut.
const sectionWidth = 120

// sections are what the function prints, each from its title on.
func sections(print func(*printer)) []Section {
	var list []Section
	var b bytes.Buffer
	p := newPrinter(&b, false, sectionWidth)
	end := func() {
		p.flush() // writing to memory does not fail
		if n := len(list); n > 0 {
			list[n-1].Text = dedented(b.String())
		}
		b.Reset()
	}
	p.apart = func(title string) {
		end()
		list = append(list, Section{Title: clean(title)})
	}
	print(p)
	end()
	return slices.DeleteFunc(list, func(s Section) bool { return strings.TrimSpace(s.Text) == "" })
}

// Sections are those of Explain: the step, the objects before and after it, what the
// actions' clauses say, what made them fail, and the histories.
func Sections(a *explain.Account) []Section {
	return sections(func(p *printer) {
		v := whereOf(a)
		p.events(v)
		p.changes(a.Changes)
		p.bindings(a.State)
		for i := range a.Judged {
			p.judgement(a, &a.Judged[i])
		}
		p.histories(a)
	})
}

// Course is, in the order of the trace, the events of an account's objects, and of those that
// clauses read: at most so many before the step, the step, and those after it.
func Course(a *explain.Account, before int) Section {
	var earlier, later []validators.Event
	for i := range a.Objects {
		earlier = append(earlier, a.Objects[i].Before...)
		later = append(later, a.Objects[i].After...)
	}
	for i := range a.Read {
		earlier = append(earlier, a.Read[i].Events...)
	}
	files := map[string]int{}
	for _, list := range [][]validators.Event{earlier, a.Events, later} {
		for _, ev := range list {
			if _, known := files[ev.File]; !known {
				files[ev.File] = len(files)
			}
		}
	}
	inOrder := func(x, y validators.Event) int {
		return cmp.Or(cmp.Compare(files[x.File], files[y.File]), cmp.Compare(x.Line, y.Line))
	}
	for _, list := range []*[]validators.Event{&earlier, &later} {
		sort.SliceStable(*list, func(i, j int) bool { return inOrder((*list)[i], (*list)[j]) < 0 })
		*list = slices.CompactFunc(*list, func(x, y validators.Event) bool { return inOrder(x, y) == 0 })
	}
	earlier = earlier[max(0, len(earlier)-before):]
	return sections(func(p *printer) {
		p.section("Timeline")
		v := whereOf(a)
		p.rows(5, earlier, v, a.Changes)
		p.raw(5, "the step:")
		p.rows(5, a.Events, v, a.Changes)
		if len(later) > 0 {
			p.raw(5, "after it:")
			p.rows(5, later, v, a.Changes)
		}
	})[0]
}

// Headline says what the violation is and where, each on one line.
func Headline(v *validators.Violation) (what, where string) {
	return clean(inWords(v)), clean(place(v))
}

// ReadRule is the command that prints the rule that the violation breaks, or the rule's
// place in a module.
func ReadRule(v *validators.Violation) string { return readRule([]validators.Violation{*v}) }

// dedented is the text without the spaces that begin all its lines.
func dedented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	least := len(text)
	for _, line := range lines {
		if body := strings.TrimLeft(line, " "); body != "" {
			least = min(least, len(line)-len(body))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(least, len(line)):]
	}
	return strings.Join(lines, "\n") + "\n"
}
