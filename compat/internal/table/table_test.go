package table

import (
	"math/rand/v2"
	"testing"
)

func TestAHandleIsNeverUsedAgain(t *testing.T) {
	h := NewHandles[uint64, int](3)
	seen := map[uint64]bool{}
	for range 600 {
		n := h.Reserve()
		if seen[n] || h.Get(n) != nil {
			t.Fatalf("%#x for the second time", n)
		}
		seen[n] = true
		v := int(n)
		h.Put(n, &v)
		if h.Get(n) != &v {
			t.Fatal("lost")
		}
		if kind, ok := Kind(n); kind != 3 || !ok {
			t.Fatalf("kind %d, %v", kind, ok)
		}
		if rand.IntN(2) == 0 && (!h.Remove(n) || h.Remove(n) || h.Get(n) != nil) {
			t.Fatal("removed once, and only once")
		}
	}
}

func TestJunkIsNoHandle(t *testing.T) {
	h := NewHandles[uint64, int](0)
	for range nearSlots {
		h.Put(h.Reserve(), new(int)) // the last ones lie behind the table itself
	}
	for range 1000 {
		if n := rand.Uint64(); h.Get(n) != nil {
			t.Fatalf("%#x", n)
		}
	}
	if _, ok := Kind(uint64(7)); ok {
		t.Fatal("7 is no handle")
	}
}

// TestKeys compares the table with a map.
func TestKeys(t *testing.T) {
	var k Keys[uint32]
	model := map[uint32]*uint32{}
	for range 20000 {
		key := rand.Uint32N(300) * 0x01000100
		switch rand.IntN(3) {
		case 0:
			v := key
			if k.Put(key, &v) != (model[key] == nil) {
				t.Fatal("put")
			}
			if model[key] == nil {
				model[key] = &v
			}
		case 1:
			k.Remove(key)
			delete(model, key)
		default:
			if k.Get(key) != model[key] {
				t.Fatalf("key %#x", key)
			}
		}
	}
}
