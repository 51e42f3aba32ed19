package eval

import (
	standard "crypto/sha256"
	"math/rand/v2"
	"testing"
)

func TestSHA256IsTheStandardLibrarys(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		var message [40]byte
		for i := range message {
			message[i] = byte(random.Uint32())
		}
		if got, want := sha256(message), standard.Sum256(message[:]); got != want {
			t.Fatalf("%x: %x, want %x", message, got, want)
		}
	}
}
