package export

import (
	"bytes"
	"fmt"
)

// SameStates says where two documents differ in what their variables are.
func SameStates(a, b []byte) error {
	one, err := readDocument(bytes.NewReader(a))
	if err != nil {
		return err
	}
	other, err := readDocument(bytes.NewReader(b))
	if err != nil {
		return err
	}
	if len(one.states) != len(other.states) {
		return fmt.Errorf("%d states and %d", len(one.states), len(other.states))
	}
	for i := range one.states {
		for name, v := range one.states[i].vars {
			if again := other.states[i].vars[name]; v.key() != again.key() {
				return fmt.Errorf("state %d: %s is %s and %s", i+1, name, v.key(), again.key())
			}
		}
	}
	return nil
}
