package tla

import (
	"bytes"
	"fmt"
)

// SameStates says where two documents differ in what their variables are.
func SameStates(a, b []byte) error {
	_, one, err := readDocument(bytes.NewReader(a))
	if err != nil {
		return err
	}
	_, other, err := readDocument(bytes.NewReader(b))
	if err != nil {
		return err
	}
	if len(one) != len(other) {
		return fmt.Errorf("%d states and %d", len(one), len(other))
	}
	for i := range one {
		for name, v := range one[i] {
			if v.key() != other[i][name].key() {
				return fmt.Errorf("state %d: %s is %s and %s", i+1, name, v.key(), other[i][name].key())
			}
		}
	}
	return nil
}
