package main

import (
	"maps"
	"slices"
)

// plays is what may happen to a swarm.
var plays = map[string]func(*sim){
	"chaos":         (*sim).chaos,
	"ordinary":      (*sim).ordinary,
	"features":      (*sim).features,
	"none-updown":   func(s *sim) { s.upDown("none", 10) },
	"any-updown":    func(s *sim) { s.upDown("any", 10) },
	"none-down2":    func(s *sim) { s.upDown("none", 4) },
	"any-down2":     func(s *sim) { s.upDown("any", 4) },
	"none-outage":   (*sim).outage,
	"scale-race":    (*sim).scaleRace,
	"restarts":      (*sim).restarts,
	"rmnode":        (*sim).nodeRemoved,
	"rmnode-update": (*sim).nodeRemovedInUpdate,
	"big":           (*sim).big,
	"job":           (*sim).job,
	"rolling":       (*sim).rolling,
	"update-again":  (*sim).updateAgain,
}

func playNames() []string { return slices.Sorted(maps.Keys(plays)) }
