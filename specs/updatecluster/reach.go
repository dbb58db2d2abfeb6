package updatecluster

// Which statuses a request can get to, whatever the other requests do: what the
// search for a batched step prunes by. It never prunes what an action allows.

// place is a request's status and membership of queue, as a number.
type place uint8

// places is a set of them.
type places uint32

func placeOf(s Status, queue membership) place {
	return place(s)<<1 | place(b2i(queue == in))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p place) set() places { return 1 << p }

// reachable[confOK][p] is what p leads to, p itself included; withoutStart is
// that without a StartApply.
var (
	reachable    = [2][2 * statusCount]places{closure(false, true), closure(true, true)}
	withoutStart = [2][2 * statusCount]places{closure(false, false), closure(true, false)}
)

// edges are the places one action away.
func edges(s Status, queue membership, confOK, start bool) []place {
	var to []place
	if queue == in {
		to = append(to, placeOf(Processing, out))
	}
	switch {
	case s == Waiting:
		to = append(to, placeOf(Submitted, queue))
	case s == Submitted:
		to = append(to, placeOf(Valid, queue), placeOf(Rejected, queue))
	case s == Valid:
		to = append(to, placeOf(Valid, in))
	case s == Processing && start && confOK:
		to = append(to, placeOf(Partial, queue))
	case s == Processing && start:
		to = append(to, placeOf(Failure, queue))
	case s == Partial:
		to = append(to, placeOf(Success, queue), placeOf(PartialFailure, queue))
	case s == PartialFailure && confOK:
		to = append(to, placeOf(Rolledback, queue))
	}
	return to
}

func closure(confOK, start bool) (reach [2 * statusCount]places) {
	for p := range place(len(reach)) {
		reach[p] = p.set()
	}
	for changed := true; changed; {
		changed = false
		for p := range place(len(reach)) {
			queue := out
			if p&1 == 1 {
				queue = in
			}
			for _, to := range edges(Status(p>>1), queue, confOK, start) {
				if more := reach[p] | reach[to]; more != reach[p] {
					reach[p], changed = more, true
				}
			}
		}
	}
	return reach
}
