package vipl_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

func TestDone(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		d := a.desc(0) // any
		want(t, vipl.RecvDone(a.vi, &d), vipl.NotDone)
		if d != nil {
			t.Fatal("a descriptor with NOT_DONE")
		}
		var rs, ss []*vipl.Descriptor
		for range 20 {
			rs = append(rs, a.postRecv(a.desc(0)))
		}
		want(t, vipl.RecvDone(a.vi, &d), vipl.NotDone)
		if rs[0].Done() {
			t.Fatal("done before")
		}
		for range 20 {
			ss = append(ss, b.postSend(b.desc(0)))
		}
		for i := range 20 {
			b.sent(ss[i], 0)
			a.received(rs[i], vipl.StatusOpReceive)
		}
		want(t, vipl.RecvWait(a.vi, 0, &d), vipl.Timeout)
		want(t, vipl.RecvWait(a.vi, 1, &d), vipl.Timeout)
		want(t, vipl.SendWait(b.vi, 1, &d), vipl.Timeout)
	})
}

// TestDoneIsLast: a goroutine that sees DONE also sees the length and the bytes.
func TestDoneIsLast(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		in, out := a.room(16), b.room(16)
		r, s := a.desc(0, seg(a.mem, in)), b.desc(0, seg(b.mem, out))
		for n := 1; n <= len(in); n++ {
			clear(in)
			for i := range out {
				out[i] = byte(n)
			}
			s.CS.Length, s.DS[0].Local.Length = uint32(n), uint32(n)
			a.postRecv(r)
			wrong := make(chan error, 1)
			go func() {
				for !r.Done() && t.Context().Err() == nil {
					runtime.Gosched()
				}
				if have := bytes.Count(in, out[:1]); r.CS.Length != uint32(n) || have != n {
					wrong <- fmt.Errorf("after DONE the length is %d, and %d bytes are there, of %d", r.CS.Length, have, n)
				}
				close(wrong)
			}()
			b.sent(b.postSend(s), 0)
			a.received(r, vipl.StatusOpReceive)
			if err := <-wrong; err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestDisconnectFlushes(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		r1, _ := a.recv(8)
		r2, _ := b.recv(8)
		r3, _ := b.recv(8)
		ok(t, vipl.Disconnect(b.vi))
		if b.state() != vipl.StateIdle {
			t.Fatal(b.state())
		}
		b.received(r2, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
		want(t, vipl.DestroyVi(b.vi), vipl.ErrorResource)
		b.received(r3, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
		a.hears(vipl.ErrorConnLost)
		if a.state() != vipl.StateError {
			t.Fatal(a.state())
		}
		want(t, vipl.DestroyVi(a.vi), vipl.InvalidState)
		a.received(r1, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
		a.sent(a.postSend(a.desc(0)), vipl.StatusDescFlushedError)
		r1, _ = a.recv(8)
		a.received(r1, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
		ok(t, vipl.Disconnect(a.vi))

		// Idle, a receive waits, a send is flushed, and a disconnect flushes.
		r1, _ = a.recv(8)
		a.sent(a.postSend(a.desc(0)), vipl.StatusDescFlushedError)
		ok(t, vipl.Disconnect(a.vi))
		a.received(r1, vipl.StatusOpReceive|vipl.StatusDescFlushedError)

		// The same VIs can be connected again.
		r1, _ = a.recv(8)
		connect(a, b)
		b.sent(b.postSend(b.desc(0)), 0)
		a.received(r1, vipl.StatusOpReceive)
		select {
		case p := <-a.errors:
			t.Fatal(p.code)
		default:
		}
	})
}

// TestFlushesThatNobodyTook do not count for the next connection.
func TestFlushesThatNobodyTook(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		r1, _ := b.recv(8)
		ok(t, vipl.Disconnect(b.vi))
		a.hears(vipl.ErrorConnLost)
		ok(t, vipl.Disconnect(a.vi))
		r2, _ := b.recv(8)
		connect(a, b)
		b.received(r1, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
		if b.state() != vipl.StateConnected {
			t.Fatal(b.state())
		}
		a.sent(a.postSend(a.desc(0)), 0)
		b.received(r2, vipl.StatusOpReceive)
	})
}

func TestAMessageTooLong(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		r, _ := a.recv(8)
		d := b.postSend(b.desc(0, seg(b.mem, b.mem.b[:9])))
		a.received(r, vipl.StatusOpReceive|vipl.StatusLengthError)
		a.hears(vipl.ErrorConnLost)
		b.hears(vipl.ErrorConnLost)
		var got *vipl.Descriptor
		if vipl.SendWait(b.vi, second, &got); got != d {
			t.Fatal("no descriptor")
		}
	})
}

func TestAFullQueue(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s := newSide(t, name)
		var q vipl.NICAttributes
		ok(t, vipl.QueryNic(s.nic, &q))
		d := s.desc(0)
		for range q.MaxDescriptorsPerQueue {
			ok(t, vipl.PostRecv(s.vi, d, s.mem.handle))
		}
		want(t, vipl.PostRecv(s.vi, d, s.mem.handle), vipl.ErrorResource)
	})
}

func TestNotify(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		type call struct {
			context any
			nic     vipl.NICHandle
			vi      vipl.VIHandle
			d       *vipl.Descriptor
		}
		calls := make(chan call, 4)
		note := func(c any, n vipl.NICHandle, v vipl.VIHandle, d *vipl.Descriptor) { calls <- call{c, n, v, d} }
		r1 := a.postRecv(a.desc(0))
		r2 := a.postRecv(a.desc(0))
		ok(t, vipl.RecvNotify(a.vi, 1, note))
		b.sent(b.postSend(b.desc(0)), 0)
		if c := <-calls; c != (call{1, a.nic, a.vi, r1}) {
			t.Fatalf("%+v", c)
		}
		d := b.postSend(b.desc(0))
		ok(t, vipl.SendNotify(b.vi, "two", note))
		if c := <-calls; c != (call{"two", b.nic, b.vi, d}) {
			t.Fatalf("%+v", c)
		}
		a.received(r2, vipl.StatusOpReceive)  // it was asked for one
		ok(t, vipl.RecvNotify(a.vi, 3, note)) // ends with the NIC
	})
}

// TestNoReceive: a message that finds none ends the connection.
func TestNoReceive(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		b.postSend(b.desc(0))
		a.hears(vipl.ErrorRecvqEmpty)
		b.hears(vipl.ErrorConnLost)
	})
}
