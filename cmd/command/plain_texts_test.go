package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Messages, the help of metrics, what specs say of their actions, and what packages say of
// themselves have the style of the pages.
func TestPlainMessages(t *testing.T) {
	messages, packages := 0, 0
	eachSource(t, ".go", func(path string) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc != nil {
			packages++
			checkProse(t, path, code.ReplaceAllString(f.Doc.Text(), ""), 20)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				name, _ := n.Key.(*ast.Ident)
				return name == nil || name.Name != "Text" // a clause in the words of its module
			case *ast.BasicLit, *ast.BinaryExpr:
				text := literal(n.(ast.Expr))
				if strings.Contains(text, "\n") || strings.Count(text, " ") < 2 { // a program, or no sentence
					return text == ""
				}
				messages++
				checkProse(t, files.Position(n.Pos()).String(), text, 20)
				return false
			}
			return true
		})
	})
	if messages < 2000 || packages < 50 {
		t.Errorf("%d messages, %d packages: too few", messages, packages)
	}
}

// literal is the text of a string, or of several with + between them, without what is no literal.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	}
	return ""
}

var (
	code       = regexp.MustCompile(`(?m)^\t.*$`)
	action     = regexp.MustCompile(`(?s){{.*?}}`)
	shownIn    = regexp.MustCompile(`(?:title|placeholder|aria-label|content)="([^"]*)"`)
	inSentence = regexp.MustCompile(`</?(?:a|b|code|em|strong|span|kbd|abbr)\b[^>]*>`)
	tag        = regexp.MustCompile(`(?s)<!--.*?-->|<style.*?</style>|<script.*?</script>|<[^>]*>`)
	inScript   = regexp.MustCompile("\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`")
)

// So have the web page of the monitor, and reports as HTML.
func TestPlainTemplates(t *testing.T) {
	templates := 0
	eachSource(t, ".tmpl", func(path string) {
		templates++
		text := action.ReplaceAllString(readText(t, path), "X")
		for _, m := range shownIn.FindAllStringSubmatch(text, -1) {
			checkProse(t, path, m[1], 20)
		}
		checkProse(t, path, tag.ReplaceAllString(inSentence.ReplaceAllString(text, ""), "\n\n"), 20)
	})
	eachSource(t, ".js", func(path string) {
		templates++
		for _, text := range inScript.FindAllString(readText(t, path), -1) {
			checkProse(t, path, text[1:len(text)-1], 20)
		}
	})
	if templates < 10 {
		t.Errorf("%d templates and scripts: too few", templates)
	}
}

// eachSource calls f with each file that has this suffix and is no test.
func eachSource(t *testing.T, suffix string, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, suffix) && !strings.HasSuffix(path, "_test.go") {
			f(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
