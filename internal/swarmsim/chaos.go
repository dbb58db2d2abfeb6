package main

import "time"

// chaos does things at random, so many a second. Another recording begins in the middle. A
// leader that is deadlocked may use up the time: chaos goes on until a manager was killed.
func (s *sim) chaos() {
	begin := time.Now()
	for range s.Services {
		s.create()
	}
	next, tick, state := begin, begin, begin
	kill := begin.Add(time.Duration(20+s.n(20)) * time.Second)
	killed := !s.Kill
	for time.Since(begin) < s.Duration || !killed && time.Since(begin) < s.Duration+time.Minute {
		next = next.Add(time.Duration(float64(time.Second) / s.Ops * s.rng.ExpFloat64()))
		if d := time.Until(next); d > 0 {
			time.Sleep(d)
		} else {
			next = time.Now()
		}
		if time.Since(begin) > s.Duration/2 && !s.last().proc().ended() {
			s.beginLate()
		}
		if time.Since(tick) > 4*time.Second {
			s.heal()
			tick = time.Now()
		}
		if time.Since(state) > 10*time.Second {
			n, live := s.tasks()
			l := s.services()
			s.say("tasks %d live %d services %d down %d", n, live, len(l), len(s.down))
			state = time.Now()
			if n > s.Tasks {
				for range len(l)/4 + 1 {
					s.removeService()
				}
			}
			for i := len(l); i < s.Services*2/3 && n < s.Tasks && n >= 0; i++ {
				s.create()
			}
		}
		if s.Kill && time.Now().After(kill) {
			kill = time.Now().Add(2 * time.Second)
			if s.killManager() {
				killed = true
				kill = time.Now().Add(time.Duration(25+s.n(30)) * time.Second)
			}
			continue
		}
		switch x := s.f(); {
		case x < 0.10:
			s.create()
		case x < 0.18:
			s.removeService()
		case x < 0.22 && s.Down:
			s.stopAgent()
		case x < 0.225 && s.Down:
			s.freeze()
		case x < 0.24 && s.RemoveTask:
			s.removeTask()
		case x < 0.245 && s.Limit:
			s.setLimit(int64(s.n(8)) - 1)
		case x < 0.36:
			s.changeNode()
		default:
			s.changeService()
		}
	}
}
