package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestLedger: entries count once and in order, and those of an earlier process with them, but for a
// part of one.
func TestLedger(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	open := func() *ledger {
		l := &ledger{out: io.Discard, accounts: map[int64]account{}}
		if err := l.open(name); err != nil {
			t.Fatal(err)
		}
		return l
	}
	take := func(l *ledger, number int64, want account) {
		t.Helper()
		if a, err := l.take(entry{7, number, number}); err != nil || a != want {
			t.Errorf("entry %d: %+v, %v, want %+v", number, a, err, want)
		}
	}
	l := open()
	take(l, 0, account{})
	take(l, 1, account{1, 1})
	take(l, 1, account{1, 1})
	take(l, 3, account{1, 1})
	take(l, 2, account{2, 3})
	if _, err := l.file.Write([]byte("a part")); err != nil {
		t.Fatal(err)
	}
	l.file.Close()
	l = open()
	take(l, 2, account{2, 3})
	take(l, 3, account{3, 6})
	l.file.Close()
	if n, err := check(name, 1); n != 3 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != 3*24 {
		t.Errorf("%v, %v", info, err)
	}
}
