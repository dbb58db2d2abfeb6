// Package waits is for tests that mostly wait: for clocks, sockets and other
// processes.
package waits

import "flag"

// Together lets sixteen tests that call t.Parallel run at once, however few
// processors there are. It is for TestMain. The flag -parallel asks for another
// number.
func Together() {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err) // it is called before the flags of tests are known
	}
}
