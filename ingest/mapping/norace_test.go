//go:build !race

package mapping

const underRace = false
