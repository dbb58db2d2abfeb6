package report

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"tracecheck/validators"
)

// The parts of SARIF 2.1.0 in use.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string       `json:"id"`
		Name   string       `json:"name"`
		Short  sarifMessage `json:"shortDescription"`
		Full   sarifMessage `json:"fullDescription"`
		Help   sarifMessage `json:"help"`
		Config sarifConfig  `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		ID       *int                   `json:"id,omitempty"`
		Physical sarifPhysicalLocation  `json:"physicalLocation"`
		Logical  []sarifLogicalLocation `json:"logicalLocations,omitempty"`
		Message  *sarifMessage          `json:"message,omitempty"`
	}
	sarifPhysicalLocation struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int           `json:"startLine"`
		EndLine   int           `json:"endLine,omitempty"`
		Snippet   *sarifMessage `json:"snippet,omitempty"`
	}
	sarifLogicalLocation struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the result in the Static Analysis Results Interchange Format,
// for code scanning. Its rules are those of the specs that judged.
func SARIF(w io.Writer, d *Document) error {
	r := d.Result
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "tracecheck", Version: d.Version, Rules: []sarifRule{}}
	index := map[string]int{}
	for _, name := range r.Specs {
		for _, rule := range sarifRules(d.spec(name)) {
			index[rule.ID] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
	}
	run.Invocations = []sarifInvocation{{Successful: r.Verdict != validators.Unusable, ExitCode: r.Verdict.ExitStatus()}}
	if r.Verdict == validators.Unusable {
		run.Invocations[0].Notifications = []sarifNotification{{Level: "error", Message: sarifMessage{Text: clean(r.Reason)}}}
	}
	seen := map[string]int{}
	for i := range r.Violations {
		v := &r.Violations[i]
		result := sarifResultOf(v)
		at, known := index[result.RuleID]
		if !known { // a rule that its spec does not document
			at = len(run.Tool.Driver.Rules)
			index[result.RuleID] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(d.spec(v.Spec), v.Rule, inWords(v), nil))
		}
		result.RuleIndex = at
		print := v.Fingerprint()
		seen[print]++
		result.Fingerprints = map[string]string{"violation/v2": fmt.Sprintf("%s:%d", print, seen[print])}
		run.Results = append(run.Results, result)
	}
	return Encode(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifRules(s *validators.Spec) []sarifRule {
	var actions []string
	for i := range s.Actions {
		actions = append(actions, s.Actions[i].Name)
	}
	rules := []sarifRule{
		sarifRuleOf(s, validators.NextRule, "Every step is one of "+s.Module+"'s actions, or changes nothing.", actions),
		sarifRuleOf(s, "actor", "A step that names an actor is by that actor.", nil),
		sarifRuleOf(s, "action", "A step that names an action is that action.", nil),
	}
	known := map[string]bool{}
	for i := range s.Rules {
		known[s.Rules[i].Name] = true
		rules = append(rules, sarifRuleOf(s, s.Rules[i].Name, s.Rules[i].Doc, s.Rules[i].Clauses))
	}
	for i := range s.Temporal {
		if t := &s.Temporal[i]; !known[t.Name] {
			rules = append(rules, sarifRuleOf(s, t.Name, t.Doc, []string{t.Formula}))
		}
	}
	return rules
}

func sarifRuleOf(s *validators.Spec, name, doc string, clauses []string) sarifRule {
	text, markdown := doc, doc
	for _, c := range clauses {
		if c != "" {
			text += "\n/\\ " + c
			markdown += "\n- `" + c + "`"
		}
	}
	more := specCommand(s) + " " + quoted(name)
	return sarifRule{
		ID: s.Name + "/" + name, Name: name,
		Short:  sarifMessage{Text: s.Name + ": " + name},
		Full:   sarifMessage{Text: doc},
		Help:   sarifMessage{Text: text + "\n" + more, Markdown: markdown + "\n\n`" + more + "`"},
		Config: sarifConfig{Level: "error"},
	}
}

func sarifResultOf(v *validators.Violation) sarifResult {
	message := clean(v.Message)
	for i := range v.Nearest {
		n := &v.Nearest[i]
		message += fmt.Sprintf("\n%s: %d of %d clauses failed: %s", clean(n.Action), len(n.Failed), len(n.Failed)+len(n.Held), clean(strings.Join(n.Failed, "; ")))
	}
	at := sarifAt(v.File, v.Line, 0)
	if v.FirstFile == "" && v.LastFile == "" && v.LastLine > v.Line {
		at.Physical.Region.EndLine = v.LastLine
	}
	for i := range v.Events {
		if ev := &v.Events[i]; ev.File == v.File && ev.Line == v.Line {
			at.Physical.Region.Snippet = &sarifMessage{Text: string(ev.Raw)}
		}
	}
	for _, name := range v.Changed() {
		at.Logical = append(at.Logical, sarifLogicalLocation{Name: name, Kind: "object"})
	}
	result := sarifResult{RuleID: v.Spec + "/" + v.Rule, Level: "error", Message: sarifMessage{Text: message}, Locations: []sarifLocation{at}}
	for i := range v.History {
		related := sarifAt(v.History[i].File, v.History[i].Line, i+1)
		title := historyTitle(v)
		related.Message = &sarifMessage{Text: strings.ToLower(title[:1]) + title[1:]}
		result.Related = append(result.Related, related)
	}
	return result
}

func sarifAt(file string, line, id int) sarifLocation {
	l := sarifLocation{Physical: sarifPhysicalLocation{Artifact: sarifArtifact{fileURI(file)}, Region: sarifRegion{StartLine: line}}}
	if id > 0 {
		l.ID = &id
	}
	return l
}

// fileURI is the file's name as a URI. A relative name stays relative.
func fileURI(file string) string {
	path := filepath.ToSlash(file)
	switch {
	case strings.HasPrefix(path, "/"):
		return (&url.URL{Scheme: "file", Path: path}).String()
	case filepath.IsAbs(file): // with a drive letter
		return (&url.URL{Scheme: "file", Path: "/" + path}).String()
	}
	return (&url.URL{Path: path}).String()
}
