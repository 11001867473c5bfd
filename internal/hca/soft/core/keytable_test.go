package core

import "testing"

// A page of keys stays no longer than its last key: a program that registers memory for ever would otherwise
// have all of them in the end. About one of 256 random keys is the one that a page without keys seems to have had.
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
