package trace

import (
	"slices"
	"testing"
)

func TestMisnamed(t *testing.T) {
	for line, want := range map[string][]string{
		`{"kind":"task","op":"create","id":"t","object":{"desiredState":"running","state":"new"}}`: {`the field "desiredState" is unknown, and ignored: did you mean "desired_state"?`},
		`{"kind":"task","op":"create","id":"t","object":{"State":"new","image":"x","err":""}}`:     {`the field "State" is unknown, and ignored: did you mean "state"?`},
		`{"kind":"node","op":"create","id":"n","state":"up"}`:                                      {`"state" is beside "object", where it is ignored: put it into "object"`},
		`{"kind":"node","op":"create","id":"n","Object":{"state":"up"}}`:                           {`"Object" is unknown, and ignored: did you mean "object"?`},
		`{"kind":"task","op":"create","id":"t","object":{"state":"new","State":"x"},"node":"n1"}`:  {`"node" is beside "object", where it is ignored: put it into "object"`},
		`{"kind":"node","op":"create","id":"n","object":{"state":"up","name":"x","role":"a"}}`:     nil,
		`{"kind":"node","op":"create","id":"n","object":{"state":"up"},"host":"x","level":"info"}`: nil,
		`{"kind":"meta","object":{"constant":{},"Profile":"moby","recorder":"x","time":"y"}}`: {
			`the field "constant" is unknown, and ignored: did you mean "constants"?`, `the field "Profile" is unknown, and ignored: did you mean "profile"?`},
		`{"kind":"meta","steps":"batched"}`:                              {`"steps" is beside "object", where it is ignored: put it into "object"`},
		`{"kind":"meta","object":{"format":1,"spec":["x"],"steps":"y"}}`: nil,
	} {
		if got := Misnamed(line); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
