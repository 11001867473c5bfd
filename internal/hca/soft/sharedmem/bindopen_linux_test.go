package sharedmem_test

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmTheDirectoryOpensBesideBinds: the first connection over shared memory lists all keys, while windows are bound on
// other paths. What the table had is not changed under its hands.
func TestShmTheDirectoryOpensBesideBinds(t *testing.T) {
	_, b := softtest.Connect(t, "tcp", 8, 64)
	w, err := b.PD.NewWindow(hca.ZoneWindow)
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	done := make(chan error, 1)
	go func() {
		defer over.Store(true)
		for range 100 {
			if err := sharedmem.OpenDirectory(b.QP); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for !over.Load() {
		b.Post(t, hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: w, MR: b.MR, Addr: b.MR.Addr(), Len: 8, Access: hca.RemoteWrite}})
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
