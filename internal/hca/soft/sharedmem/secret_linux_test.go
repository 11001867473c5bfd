package sharedmem

import (
	"math/bits"
	"testing"
)

// TestAPeerOf32BitsDoesNotReachTheSecret: its addresses have 32 bits, and it must not believe that it can read the
// messages of a process whose memory has others.
func TestAPeerOf32BitsDoesNotReachTheSecret(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("two processes of 32 bits reach each other's memory")
	}
	if addr, _ := ownSecret(); addr>>32 == 0 {
		t.Errorf("the secret is at %#x, where a peer of 32 bits can read it", addr)
	}
}
