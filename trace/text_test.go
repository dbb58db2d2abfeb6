package trace

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

var escapes = regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+`)

// isText is HalfPair read in another way: neighbouring escapes are UTF-16, which
// comes back from runes as it was if it is text.
func isText(json string) bool {
	for _, run := range escapes.FindAllString(strings.ReplaceAll(json, `\\`, "  "), -1) {
		var units []uint16
		for digits := range strings.SplitSeq(run[len(`\u`):], `\u`) {
			n, err := strconv.ParseUint(digits, 16, 16)
			if err != nil {
				panic(err)
			}
			units = append(units, uint16(n))
		}
		if !slices.Equal(utf16.Encode(utf16.Decode(units)), units) {
			return false
		}
	}
	return true
}

func TestHalfPair(t *testing.T) {
	for _, c := range []struct {
		json string
		at   int
	}{
		{`"a"`, -1}, {`"\u0041\n\\"`, -1}, {`"\ud83d\ude00"`, -1}, {`"\uD83D\uDE00"`, -1}, {`"\ufffd"`, -1}, {`"\\ud800"`, -1}, {`"\\\\ud800"`, -1},
		{`"\ud800"`, 1}, {`"a\uDFFF"`, 2}, {`"\ud800\u0041"`, 1}, {`"\ud800\ud800\udc00"`, 1}, {`"\ud800x\udc00"`, 1},
		{`"\\\ud800"`, 3}, {`"\ud83d\ude00\ude00"`, 13}, {`{"a":"b","\udc00":1}`, 10}, {`"\ud800\\udc00"`, 1},
	} {
		if at := HalfPair(c.json); at != c.at {
			t.Errorf("%s: got %d, want %d", c.json, at, c.at)
		}
		if isText(c.json) != (c.at < 0) {
			t.Errorf("%s: the tests' own reading differs", c.json)
		}
	}
}

// A line with a name that is not valid text is refused, and the error has the place.
func TestDecodeRefusesWhatIsNoText(t *testing.T) {
	const half = `\ud800`
	for _, c := range []struct{ line, where string }{
		{`{"kind":"node?","op":"update","id":"n"}`, "kind"},
		{`{"kind":"node","op":"update?","id":"n"}`, "op"},
		{`{"kind":"node","op":"update","id":"n?"}`, "id"},
		{`{"kind":"node","op":"update","id":"n?","id":"m"}`, "id"},
		{`{"kind":"node","op":"update","id":"n","stream":"?"}`, "stream"},
		{`{"kind":"node","op":"update","id":"n","tx":"?"}`, "tx"},
		{`{"kind":"node","op":"update","id":"n","actor":"?"}`, "actor"},
		{`{"kind":"node","op":"update","id":"n","action":"?"}`, "action"},
		{`{"kind":"node","op":"update","id":"n","x?":1}`, "(a key)"},
		{`{"kind":"node","op":"update","id":"n","object":{"x?":1}}`, "object.(a key)"},
		{`{"kind":"task","op":"update","id":"n","object":{"service":"?"}}`, "object.service"},
		{`{"kind":"task","op":"update","id":"n","object":{"node":"?"}}`, "object.node"},
		{`{"kind":"cluster","op":"update","object":{"request":"?"}}`, "object.request"},
		{`{"kind":"pvc","op":"update","id":"n","object":{"namespace":"?"}}`, "object.namespace"},
		{`{"kind":"namespace","op":"update","id":"n","object":{"clusters":{"c?":"Sync"}}}`, "object.clusters"},
		{`{"kind":"endpoint","op":"update","id":"n","object":{"ports":[{"name":"?"}]}}`, "object.ports"},
		{`{"kind":"endpoint","op":"update","id":"n","object":{"spec":[{"na?":1}]}}`, "object.spec"},
		{`{"kind":"service","op":"update","id":"n","object":{"constraints":["?"]}}`, "object.constraints"},
		{`{"kind":"allocator","op":"update","object":{"allocated":["?/80"]}}`, "object.allocated"},
		{`{"kind":"meta","object":{"spec":["kcpstorage"],"constants":{"clusters":["c?"]}}}`, "object"},
		{`{"object":{"constants":{"c?":1}},"kind":"meta"}`, "object"},
	} {
		var d Decoder
		var ev Event
		line := strings.Replace(c.line, "?", half, 1)
		err := d.Decode([]byte(line), Pos{"f", 7}, &ev)
		if want := "f:7: " + c.where + " is not text: " + half + " is half of a surrogate pair"; err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", line, err, want)
		}
		mustDecodeUnless(t, strings.Replace(c.line, "?", `\ud83d\ude00`, 1), c.where)
	}
	for _, free := range []string{`"message":"x"`, `"err":"x"`, `"labels":{"x":"x"}`} {
		mustDecode(t, `{"kind":"task","op":"update","id":"t","x":"`+half+`","object":{`+strings.ReplaceAll(free, "x", half)+`}}`)
	}
	var d Decoder
	var ev Event
	err := d.Decode([]byte(`{"stream":"t","kind":"node","op":"update","id":"n","stream":"s"}`), Pos{}, &ev)
	if err != nil {
		t.Error(err)
	}
	err = d.Decode([]byte(`{"kind":"node","op":"update","id":"\udfff","stream":"s"}`), Pos{}, &ev)
	if e, ok := err.(*Error); !ok || e.Stream != "s" {
		t.Errorf("got %#v, want an error of the stream s", err)
	}
}

// mustDecodeUnless decodes a line whose names are text, if it has to: of kind and
// op there are no others.
func mustDecodeUnless(t *testing.T, line, where string) {
	t.Helper()
	if where != "kind" && where != "op" {
		mustDecode(t, line)
	}
}

// A byte that is no UTF-8 has its place, whatever it is in.
func TestDecodeRefusesWhatIsNoUTF8(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"kind":"node","op":"update","id":"é?"}`, `byte 38 is 0xff, in "id"`},
		{`{"kind":"task","op":"update","id":"t","object":{"state":"new","service":"?"}}`, `byte 74 is 0xff, in "object.service"`},
		{`{"kind":"task","op":"update","id":"t","object":{"?":"new"}}`, `byte 50 is 0xff, in a key, in "object"`},
		{`{"?":1}`, `byte 3 is 0xff, in a key`},
		{`?`, `byte 1 is 0xff`},
		{`["?"]`, `byte 3 is 0xff`},
	} {
		var d Decoder
		var ev Event
		err := d.Decode([]byte(strings.Replace(c.line, "?", "\xff", 1)), Pos{"f", 7}, &ev)
		if want := "f:7: the line is not valid UTF-8: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", c.line, err, want)
		}
	}
}

// A map's keys are names: one that is there twice would be one of two things.
func TestDecodeRefusesRepeatedClusters(t *testing.T) {
	for _, c := range []struct{ clusters, twice string }{
		{`{"a":"Sync","b":"nil","a":"nil"}`, `"a"`},
		{`{"a":"Sync","\u0061":"Sync"}`, `"a"`},
		{`{"a":null,"b":null,"c":1,"b":"Sync"}`, `"b"`},
		{`{` + strings.Repeat(`"x":1,`, 40) + `"y":2}`, `"x"`},
	} {
		for _, kind := range []string{"namespace", "pvc"} {
			line := `{"kind":"` + kind + `","op":"update","id":"n","object":{"clusters":` + c.clusters + `}}`
			var d Decoder
			var ev Event
			err := d.Decode([]byte(line), Pos{"f", 7}, &ev)
			if want := "f:7: object.clusters has " + c.twice + " twice"; err == nil || err.Error() != want {
				t.Errorf("%s: got error %v, want %s", line, err, want)
			}
		}
	}
	mustDecode(t, `{"kind":"pvc","op":"update","id":"n","object":{"clusters":{"a":"Sync","b":null,"A":"nil"}}}`)
	mustDecode(t, `{"kind":"node","op":"update","id":"n","object":{"clusters":{"a":1,"a":2}}}`)
	mustDecode(t, `{"kind":"pvc","op":"update","id":"n","object":{"clusters":["a","a"]}}`) // not a map, which is a matter of its type
}
