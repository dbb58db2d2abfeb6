package web

import (
	"crypto/sha256"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// A user who was let in once need not wait for the checks of others' wrong passwords.
func TestWrongLoginsDoNotDelayOthers(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	a := &accessFile{Users: map[string]string{"ann": string(hash)}}
	l := &login{right: map[[sha256.Size]byte]bool{}}
	known := func(user, password string) bool {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth(user, password)
		return l.known(a, r)
	}
	if !known("ann", "secret") {
		t.Fatal("the right password was refused")
	}
	for i := range 2 * mostRight {
		if known("ann", fmt.Sprint("wrong", i)) {
			t.Fatal("a wrong password was accepted")
		}
	}
	l.checking.Lock()
	defer l.checking.Unlock()
	answer := make(chan bool, 1)
	go func() { answer <- known("ann", "secret") }()
	select {
	case right := <-answer:
		if !right {
			t.Error("the right password was refused")
		}
	case <-time.After(time.Minute):
		t.Error("no answer while another password is checked")
	}
}
