package rawmem_test

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestGuardLeavesNothingBehind: Guard restores the goroutine's state, and a panic that is no page fault
// continues.
func TestGuardLeavesNothingBehind(t *testing.T) {
	m := softtest.NewLostMemory(t, 2*softtest.LostPage, false)
	m.Protect(t, 0)
	lost := m.B[softtest.LostPage:]
	for _, before := range []bool{false, true} {
		was := debug.SetPanicOnFault(before)
		if at := rawmem.Guard(func() { lost[7] = 1 }); at == 0 {
			t.Error("no fault")
		}
		if at := rawmem.Guard(func() {}); at != 0 {
			t.Errorf("a fault at %#x", at)
		}
		mine := errors.New("another panic")
		func() {
			defer func() {
				if r := recover(); r != mine {
					t.Errorf("%v came, want the panic", r)
				}
			}()
			rawmem.Guard(func() { panic(mine) })
		}()
		if got := debug.SetPanicOnFault(was); got != before {
			t.Errorf("panic on fault is %v, was %v", got, before)
		}
	}
}
