package tracecheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tracecheck/internal/prose"
)

var (
	indented = regexp.MustCompile(`(?m)^(\t|   ).*$`)                                // an example of code
	control  = regexp.MustCompile(`{{(if|with|range|end|define|template)\b.*?}}`)    // writes nothing
	elseOf   = regexp.MustCompile(`{{else\b.*?}}`)                                   // begins another text
	action   = regexp.MustCompile(`{{.*?}}`)                                         // writes a value
	inline   = regexp.MustCompile(`^(a|b|code|small|span|time)$`)                    // a tag within a sentence
	shown    = regexp.MustCompile(`^(title|aria-label|alt|placeholder|data-label)$`) // an attribute that is seen
	notJS    = regexp.MustCompile(`(?m)(^|\s)//.*$`)                                 // a comment
	begun    = regexp.MustCompile(`\p{Lu}`)                                          // a word of a name
	joined   = regexp.MustCompile(`' \+ [^'+]+ \+ '`)                                // a value within a text
	quoted   = regexp.MustCompile("'[^'\n]*'|`[^`]*`")                               // a text
)

// source calls do with each file of Go code in the tree.
func source(t *testing.T, do func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			do(path, set, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

// textOf returns the text that an expression adds up to, with CODE for each value in it. It
// notes the nodes that it has read. It is false where the expression has no text.
func textOf(e ast.Expr, read map[ast.Node]bool) (text string, is bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			read[e] = true
			return text, true
		}
	case *ast.ParenExpr:
		read[e] = true
		return textOf(e.X, read)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			break
		}
		read[e] = true
		x, isX := textOf(e.X, read)
		y, isY := textOf(e.Y, read)
		return x + y, isX || isY
	}
	return "CODE", false
}

// TestPlainMessages checks each text of several words in the code. So no constructor of
// errors, logs, usages or labels is missed. Texts of TLA+ pass as they are. What is not
// checked is no prose: scripts of shells, patterns, and examples of code.
func TestPlainMessages(t *testing.T) {
	checked := 0
	source(t, func(path string, set *token.FileSet, file *ast.File) {
		if path == "internal/cmdline/shells.go" || isTest(path) {
			return
		}
		read := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				f, ok := call.Fun.(*ast.SelectorExpr)
				return !ok || f.Sel.Name != "MustCompile"
			}
			e, ok := n.(ast.Expr)
			if !ok || read[n] {
				return true
			}
			text, ok := textOf(e, read)
			if ok && len(strings.Fields(text)) > 1 {
				checked++
				prose.Check(t, set.Position(e.Pos()).String(), indented.ReplaceAllString(text, ""))
			}
			return true
		})
	})
	if t.Logf("%d texts", checked); checked < 3000 {
		t.Error("some are missing")
	}
}

// TestPlainComments checks the documentation of packages and of what they export, and the
// words of all other comments. Those of tests are among the latter.
func TestPlainComments(t *testing.T) {
	packages, exported, others := 0, 0, 0
	source(t, func(path string, set *token.FileSet, file *ast.File) {
		documented, decls := map[*ast.CommentGroup]*int{file.Doc: &packages}, file.Decls
		if isTest(path) {
			documented, decls = nil, nil
		}
		for _, d := range decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() {
					documented[d.Doc] = &exported
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							documented[d.Doc], documented[s.Doc] = &exported, &exported
						}
					case *ast.ValueSpec:
						if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
							documented[d.Doc], documented[s.Doc] = &exported, &exported
						}
					}
				}
			}
		}
		for _, c := range file.Comments {
			where := set.Position(c.Pos()).String()
			if count := documented[c]; count != nil {
				*count++
				prose.Check(t, where, indented.ReplaceAllString(c.Text(), ""))
			} else {
				others++
				prose.Words(t, where, c.Text())
			}
		}
	})
	t.Logf("%d packages, %d exported, %d other comments", packages, exported, others)
	if packages < 100 || exported < 1000 {
		t.Error("some are missing")
	}
}

// TestPlainNames checks the words of each name in the code.
func TestPlainNames(t *testing.T) {
	checked := map[string]bool{}
	source(t, func(_ string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !checked[id.Name] {
				checked[id.Name] = true
				prose.Words(t, set.Position(id.Pos()).String(), begun.ReplaceAllString(id.Name, " $0"))
			}
			return true
		})
	})
	if t.Logf("%d names", len(checked)); len(checked) < 10000 {
		t.Error("some are missing")
	}
}

// TestPlainWebPages checks what a reader sees of the monitor's page and of the reports.
func TestPlainWebPages(t *testing.T) {
	checked := 0
	check := func(path, text string) {
		if strings.ContainsAny(text, " ") {
			checked++
			prose.Check(t, path, text)
		}
	}
	for _, pattern := range []string{"monitor/web/files/*.tmpl", "report/html/*.tmpl", "monitor/web/files/*.js", "report/html/*.js"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, path := range files {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := string(file)
			if filepath.Ext(path) == ".js" {
				text = joined.ReplaceAllString(notJS.ReplaceAllString(text, ""), " CODE ")
				for _, text := range quoted.FindAllString(text, -1) {
					check(path, strings.Trim(text, "'`"))
				}
				continue
			}
			text = action.ReplaceAllString(elseOf.ReplaceAllString(control.ReplaceAllString(text, ""), "<p>"), "CODE")
			var paragraph strings.Builder
			end := func() {
				check(path, strings.TrimSpace(paragraph.String()))
				paragraph.Reset()
			}
			for z := html.NewTokenizer(strings.NewReader(text)); ; {
				kind := z.Next()
				if kind == html.ErrorToken {
					break
				}
				token := z.Token()
				if kind == html.TextToken {
					paragraph.WriteString(token.Data)
				} else if !inline.MatchString(token.Data) {
					end()
				}
				for _, a := range token.Attr {
					if shown.MatchString(a.Key) {
						check(path, a.Val)
					}
				}
			}
			end()
		}
	}
	if t.Logf("%d texts", checked); checked < 100 {
		t.Error("some are missing")
	}
}
