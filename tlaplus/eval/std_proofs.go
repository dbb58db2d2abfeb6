package eval

// The library of the proof system. Only proofs, which are skipped, use what is in
// it, but a module may get others by way of it.
func (lib library) proofs() {
	for name, extends := range map[string][]string{
		"TLAPS":                 nil,
		"NaturalsInduction":     {"Integers", "TLAPS"},
		"WellFoundedInduction":  {"NaturalsInduction"},
		"FunctionTheorems":      {"Functions", "NaturalsInduction"},
		"FiniteSetTheorems":     {"FiniteSets", "Sequences", "FunctionTheorems", "WellFoundedInduction"},
		"SequenceTheorems":      {"Sequences", "Integers", "Functions", "WellFoundedInduction"},
		"SequencesExtTheorems":  {"SequencesExt", "SequenceTheorems"},
		"FiniteSetsExtTheorems": {"FiniteSetsExt", "FiniteSetTheorems"},
		"BagsTheorems":          {"Bags", "FiniteSetTheorems"},
		"FoldsTheorems":         {"Folds", "FiniteSets"},
		"GraphTheorems":         {"Graphs", "Sequences"},
		"QuorumTheorems":        {"Quorum", "Integers", "FiniteSets"},
	} {
		lib.register(name, extends)
	}
	lib.register("RealTime", []string{"Reals"}, &Native{Name: "RTBound", Arity: 4, Not: true}, &Native{Name: "RTnow", Arity: 1, Not: true})
}
