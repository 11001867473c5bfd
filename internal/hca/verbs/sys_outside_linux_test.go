package verbs_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
)

// TestANotificationIsReadBeforeTheNextSleep, and not by a thread outside of Go that has what it has waited for: that one
// goes on at once. The next thread is not woken by it.
func TestANotificationIsReadBeforeTheNextSleep(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		x, y := pair(t, a)
		thread := y.rq.(hca.DescriptorArmer)
		for range 20 {
			y.must(y.qp.PostRecv(hca.RecvWR{Local: y.seg(8)}))
			fds := must(thread.ArmDescriptors(nil))(t)
			if len(fds) != 1 {
				t.Fatalf("the thread watches %d descriptors", len(fds))
			}
			if readable(t, fds[0], 0) {
				t.Fatal("the thread is woken by what came before")
			}
			x.must(x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}))
			if !readable(t, fds[0], 20000) {
				t.Fatal("the thread is not woken")
			}
			y.take(y.rq, 1)
			thread.DisarmDescriptors(false)
			if !readable(t, fds[0], 0) {
				t.Fatal("the thread has read the notification")
			}
			x.take(x.sq, 1)
		}
	})
}

func readable(t *testing.T, fd int32, milliseconds int) bool {
	t.Helper()
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}, milliseconds)
		if err == nil {
			return n > 0
		}
		if err != unix.EINTR {
			t.Fatal(err)
		}
	}
}
