package fakeibv_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// A device that is removed and comes back is another one, with the same name. An adapter that is opened then is on
// that; the one before keeps the removed device until it is closed.
func TestReplacedDevice(t *testing.T) {
	for _, inUse := range []bool{false, true} {
		w := fakeibv.New(fakeibv.Config{})
		d := verbs.Simulated(w.Lib(), w.Names(), w.Addrs())
		open := func() hca.Adapter {
			a, err := d.Open(t.Context(), "fake0", hca.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		first := open()
		if second := open(); second.Close() != nil {
			t.Error("an adapter beside another cannot be closed")
		}
		if !inUse {
			first.Close()
		}
		held := w.Replace(0)
		again := open()
		if inUse {
			if !held() {
				t.Error("the context of an open adapter may be closed")
			}
			first.Close()
		}
		if held() {
			t.Errorf("in use when it was removed: %v: its context is still held", inUse)
		}
		again.Close()
		for _, f := range w.Faults() {
			t.Error(f)
		}
		w.Close()
	}
}
