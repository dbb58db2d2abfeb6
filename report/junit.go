package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// The JUnit elements that continuous integration reads.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitOutcome `xml:"failure"`
		Error   *junitOutcome `xml:"error"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the result as a test report: a suite for each stream and spec,
// with a case for each rule. If the input cannot be judged, that is an error of
// an extra case.
func JUnit(w io.Writer, d *Document) error {
	all := junitSuites{Name: "tracecheck"}
	input := junitCase{Name: "the input can be judged to its end", Class: "tracecheck"}
	if d.Result.Verdict == validators.Unusable {
		input.Error = &junitOutcome{Message: clean(d.Result.Reason), Type: "unusable", Text: clean(d.Result.Reason)}
	}
	all.add(junitSuite{Name: "input", Cases: []junitCase{input}})
	own := map[suite][]validators.Violation{}
	for _, v := range d.Result.Violations {
		s := suite{v.Stream, v.Spec}
		own[s] = append(own[s], v)
	}
	for _, s := range suites(d.Result) {
		all.add(d.junitSuite(s, own[s]))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (all *junitSuites) add(s junitSuite) {
	for i := range s.Cases {
		s.Tests++
		if s.Cases[i].Failure != nil {
			s.Failures++
		}
		if s.Cases[i].Error != nil {
			s.Errors++
		}
	}
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Suites = append(all.Suites, s)
}

// junitSuite is a suite with its own violations.
func (d *Document) junitSuite(s suite, own []validators.Violation) junitSuite {
	name := s.spec
	if s.stream != "" {
		name += ", " + clean(trace.StreamName(s.stream))
	}
	out := junitSuite{Name: name}
	groups := bySteps(own)
	for _, rule := range ruleNames(d.spec(s.spec), own) {
		c := junitCase{Name: clean(rule), Class: name}
		var texts []string
		for _, g := range groups {
			for i := range g {
				v := &g[i]
				if v.Rule != rule {
					continue
				}
				if c.Failure == nil {
					c.File, c.Line = clean(v.File), v.Line
					c.Failure = &junitOutcome{Message: clean(fmt.Sprintf("%s: %s", trace.Pos{File: v.File, Line: v.Line}, v.Message)), Type: string(v.Kind)}
				}
				if len(texts) < fullyShown {
					texts = append(texts, explanation(g))
				}
				break
			}
		}
		if c.Failure != nil {
			c.Failure.Text = "\n" + strings.Join(texts, "\n")
		}
		out.Cases = append(out.Cases, c)
	}
	return out
}
