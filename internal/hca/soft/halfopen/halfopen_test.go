package halfopen_test

import (
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/halfopen"
)

// stream is a stream that leaves when it is closed, as its goroutine would.
type stream struct {
	net.Conn
	closed chan struct{}
}

func (s *stream) Close() error {
	close(s.closed)
	return nil
}

// opened is streams of a Streams, each with its goroutine.
type opened struct {
	halfopen.Streams[net.Conn]
	all []*halfopen.Stream[net.Conn]
}

// enter adds a stream. Unless it stays, its goroutine leaves as soon as it is closed.
func (o *opened) enter(stays bool) *halfopen.Stream[net.Conn] { return o.added(o.Enter, stays) }

func (o *opened) added(enter func(net.Conn) *halfopen.Stream[net.Conn], stays bool) *halfopen.Stream[net.Conn] {
	s := &stream{closed: make(chan struct{})}
	x := enter(s)
	o.all = append(o.all, x)
	if !stays {
		go func() {
			<-s.closed
			x.Leave()
		}()
	}
	return x
}

func (o *opened) closed(i int) bool {
	select {
	case <-o.all[i].Conn.(*stream).closed:
		return true
	default:
		return false
	}
}

// end closes what is open, so that the goroutines end.
func (o *opened) end() {
	for i, x := range o.all {
		if !o.closed(i) {
			_ = x.Conn.Close()
		}
	}
	synctest.Wait()
}

// TestOldestLeaves: when there is one stream too many, the oldest stream that is not held is closed.
func TestOldestLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		for range halfopen.Most {
			o.enter(false)
		}
		if !o.all[0].Hold() {
			t.Fatal("the first stream is closed before there are too many")
		}
		o.enter(false)
		if o.closed(0) || !o.closed(1) || o.closed(2) {
			t.Errorf("closed: held %v, oldest %v, next %v; want the oldest that is not held only", o.closed(0), o.closed(1), o.closed(2))
		}
		if !o.all[1].Evicted() || o.all[0].Evicted() || o.all[1].Hold() {
			t.Error("the closed stream does not know it, or another one does")
		}
		if n := o.Len(); n != halfopen.Most {
			t.Errorf("%d streams, want %d", n, halfopen.Most)
		}
		o.all[0].Release() // the program has decided; this stream may be closed before all others
		o.enter(false)
		if !o.closed(0) || o.closed(2) {
			t.Errorf("closed: released %v, next %v; want the released one only", o.closed(0), o.closed(2))
		}
	})
}

// TestEnterWaits: a stream that was closed for another one counts until its goroutine has left.
func TestEnterWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		slow := o.enter(true)
		for range halfopen.Most - 1 {
			o.enter(false)
		}
		entered := make(chan struct{})
		go func() {
			o.enter(false)
			close(entered)
		}()
		synctest.Wait()
		select {
		case <-entered:
			t.Fatal("a stream was added while as many were there as there may be")
		default:
		}
		if o.closed(0) {
			t.Fatal("a stream was closed before its peer had time for its request")
		}
		<-time.After(halfopen.Grace)
		synctest.Wait()
		if !o.closed(0) {
			t.Fatal("the oldest stream was not closed")
		}
		slow.Leave()
		<-entered
	})
}

// TestRejectedLeaveFirst: a rejected stream does not wait for room, and is the first to be closed.
func TestRejectedLeaveFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		for range halfopen.Most - 1 {
			o.enter(false)
		}
		for range 2 { // the second in place of the first, and not of a stream whose request may still come
			o.added(o.EnterRejected, false)
			synctest.Wait()
		}
		if o.closed(0) || !o.closed(halfopen.Most-1) || o.closed(halfopen.Most) {
			t.Errorf("closed: oldest %v, rejected %v and %v; want the first rejected one", o.closed(0), o.closed(halfopen.Most-1), o.closed(halfopen.Most))
		}
		o.enter(false)
		if o.closed(0) || !o.closed(halfopen.Most) {
			t.Errorf("closed: oldest %v, rejected %v; want the rejected one", o.closed(0), o.closed(halfopen.Most))
		}
		<-time.After(halfopen.Grace)
		o.added(o.EnterRejected, true) // it does not wait
		if !o.closed(0) {
			t.Error("a rejected stream too many closed no other")
		}
		o.all[len(o.all)-1].Leave()
	})
}

// TestABurstIsReadFirst: of more peers than there may be, each has the time to send its request.
func TestABurstIsReadFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		var all sync.WaitGroup
		for range 4 * halfopen.Most {
			x := o.enter(true)
			all.Go(func() {
				<-time.After(halfopen.Grace / 2)
				if !x.Hold() {
					t.Error("a stream was closed before its peer had time for its request")
				}
				x.Leave()
			})
		}
		all.Wait()
	})
}

// TestMakeRoom: it closes one stream and waits for it, and says when there is none.
func TestMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		if o.MakeRoom() {
			t.Error("there was room to be made without a stream")
		}
		held := o.enter(false)
		if !held.Hold() || o.MakeRoom() {
			t.Error("a held stream was closed")
		}
		o.enter(false)
		if !o.MakeRoom() || !o.closed(1) || o.closed(0) || o.Len() != 1 {
			t.Errorf("closed: second stream %v, held stream %v; %d left; want the second stream closed, and 1 left", o.closed(1), o.closed(0), o.Len())
		}
	})
}

// closedOnes is how many are closed.
func (o *opened) closedOnes() (n int) {
	for i := range o.all {
		if o.closed(i) {
			n++
		}
	}
	return n
}

// TestReleasedLeavesForOneThatWaits: a stream that waits, because all others are held, learns that one can be closed.
func TestReleasedLeavesForOneThatWaits(t *testing.T) {
	for _, how := range []string{"released", "rejected"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var o opened
				defer o.end()
				for range halfopen.Most {
					o.enter(false).Hold()
				}
				entered := make(chan struct{})
				go func() {
					o.Enter(nil)
					close(entered)
				}()
				synctest.Wait()
				if how == "released" {
					o.all[0].Release()
				} else {
					o.added(o.EnterRejected, false)
				}
				synctest.Wait()
				if n := o.closedOnes(); n != 1 {
					t.Errorf("%d streams were closed for one new stream, want 1", n)
				}
				o.all[1].Leave()
				<-entered
			})
		})
	}
}

// TestOneForOne: of streams that wait at the same time, each closes one other, however the closed ones leave.
func TestOneForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		for range halfopen.Most {
			o.enter(true)
		}
		<-time.After(halfopen.Grace)
		var all sync.WaitGroup
		for range 8 { // listeners
			all.Go(func() { o.Enter(nil) })
		}
		synctest.Wait()
		for i := range 8 {
			if !o.closed(i) {
				t.Errorf("stream %d is not closed", i)
			}
			o.all[i].Leave()
			synctest.Wait()
		}
		all.Wait()
		if n := o.closedOnes(); n != 8 {
			t.Errorf("%d streams were closed for 8", n)
		}
	})
}

// TestRoomIsMade: MakeRoom returns when the closed stream has left, and not when another one has: that may have become a
// request, which keeps its descriptor.
func TestRoomIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opened
		defer o.end()
		slow, other := o.enter(true), o.enter(true)
		made := make(chan struct{})
		go func() {
			o.MakeRoom()
			close(made)
		}()
		synctest.Wait()
		other.Hold()
		other.Leave()
		synctest.Wait()
		select {
		case <-made:
			t.Error("no stream has left for the room")
		default:
		}
		slow.Leave()
		<-made
	})
}
