package eval

import (
	"errors"
	"io/fs"
	"strings"

	"tracecheck/tlaplus/value"
)

// CSV of the community modules, and what draws and is refused: GraphViz, SVG,
// HTML and ShiViz.

// rows are the lines of a file; none where there is no such file.
func (r *Run) rows(name value.Value) []string {
	data, err := r.ReadFile(text(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return nil
	}
	if err != nil {
		value.Fail("%v", err)
	}
	rows := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := range rows {
		rows[i] = strings.TrimSuffix(rows[i], "\r")
	}
	return rows
}

func (lib library) csv() {
	lib.register("CSV", nil,
		some("CSVRead", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			names, delimiter, file := seq(r.Arg(args[0])), text(r.Arg(args[1])), r.Arg(args[2])
			if strings.ContainsAny(delimiter, `.$|()[{^?*+\`) {
				value.Fail("CSVRead: the delimiter %s is a pattern, which is not supported", delimiter)
			}
			var records []value.Value
			for n, row := range r.rows(file) {
				cells := strings.Split(row, delimiter)
				if len(cells) != len(names) {
					value.Fail("%s:%d: there are %d columns, not %d", text(file), n+1, len(cells), len(names))
				}
				record := map[string]value.Value{}
				for i, name := range names {
					record[text(name)] = r.Space.String(cells[i])
				}
				records = append(records, r.Record(record))
			}
			return list(records...)
		}),
		one("CSVRecords", func(r *Run, file value.Value) value.Value { return value.Of(int64(len(r.rows(file)))) }),
		refused("CSVWrite", 3), refused("CSVWriteRecord", 4))
	dot := refused("DotDiGraph", 3)
	dot.Ops = []int{0, 1, 1}
	lib.register("GraphViz", nil, dot)
	lib.register("SVG", nil, refusedAll(map[string]int{
		"SVGElem": 4, "Line": 5, "Circle": 4, "Rect": 5, "Text": 4, "Image": 6, "Group": 2, "Svg": 2, "SVGDoc": 6, "SVGElemToString": 1,
		"NodeOfRingNetwork": 5, "NodesOfDirectedMultiGraph": 3, "PointOnLine": 3, "SVGSerialize": 3,
	})...)
	lib.register("HTML", nil, refusedAll(map[string]int{
		"HTMLFill": 2, "HTMLDocument": 3, "HTMLClass": 2, "HTMLAttribute": 2, "HTMLDefaultStyle": 0, "HTMLStyleSheet": 1, "HTMLScriptFile": 1,
		"HTMLScript": 1, "HTMLLink": 2, "HTMLHeader": 3, "HTMLBody": 1, "HTMLFrame": 2, "HTMLGridContainer": 3, "HTMLBox": 4, "HTMLCircle": 4,
		"HTMLText": 2, "HTMLSVG": 4, "HTMLSize": 2, "HTMLNewLine": 0, "HTMLFlexCenterAttributes": 0, "HTMLJSLineElems": 2, "HTMLJSLine": 4,
		"HTMLJSLineDash": 4, "HTMLJSKeyListener": 1, "HTMLJSNavigationKey": 2,
	})...)
	lib.register("ShiViz", nil, refused("Host", 0), refused("Clock", 0))
}

func refusedAll(arities map[string]int) (list []*Native) {
	for name, arity := range arities {
		list = append(list, refused(name, arity))
	}
	return list
}
