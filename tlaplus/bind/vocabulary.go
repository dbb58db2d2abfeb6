package bind

import (
	"maps"
	"slices"
)

// Vocabulary returns the strings of the module, the cfg, the bind file and its header. It also
// returns the names of actions, their parameters, events, kinds and fields. Of the log's strings,
// only these mean something by themselves. The others are compared with each other.
func (b *Bind) Vocabulary() ([]string, error) {
	p, err := b.load(b.header, true)
	if err != nil {
		return nil, err
	}
	f := b.file
	list := slices.Concat(p.spec.Space.Texts(), slices.Collect(maps.Keys(f.actions)), slices.Collect(maps.Keys(p.names)))
	for _, action := range p.spec.ActionNames() { // an event may have any of these names
		list = append(append(list, action), p.spec.Params(action)...)
	}
	if f.args == nil {
		list = append(list, argsFields...)
	}
	for _, path := range slices.Concat(f.sets, f.functions) {
		of, _ := steps(path)
		list = append(list, of...)
	}
	for _, kind := range slices.Concat(f.objects, f.refused) {
		list = append(list, kind.name)
		for _, field := range kind.fields {
			list = append(list, field.name)
		}
	}
	if f.preset == lbinria {
		list = append(list, updateWords...)
	}
	return list, nil
}
