package swarm

// Moby is the profile of Docker's swarms. MobyDoc says what it allows.
const (
	Moby    = "moby"
	MobyDoc = "what a healthy Docker swarm does beyond the text"
)
