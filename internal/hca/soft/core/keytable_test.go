package core

import "testing"

// A page of keys stays no longer than its last key. Otherwise a program that registers memory for ever would have
// all pages in the end: about one random key in 256 equals what a page without keys has stored for its index.
func TestPagesOfKeysGo(t *testing.T) {
	table := new(KeyTable)
	for range 4000 {
		k, ok := table.reserve()
		if !ok {
			t.Fatal("no key")
		}
		table.release(k)
	}
	for i := range table.pages {
		if table.pages[i].Load() != nil {
			t.Fatal("a page without keys is still there")
		}
	}
}
