package eval

// The library of the proof system. Only proofs, which are skipped, use what is in
// it, but a module may get others by way of it.
func init() {
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
		"RealTime":              {"Reals"},
	} {
		register(name, extends)
	}
}
