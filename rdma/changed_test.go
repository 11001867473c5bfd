package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// large sends one message of 64 KiB from a region, which arrives.
func large(t *testing.T, x, y *side, from mem.Slice) {
	t.Helper()
	must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, from.Len())}))
	must(t, x.conn.PostSend(rdma.Send{From: from}))
	sent, received := take(t, x.conn.SendCompletions(), 1)[0], take(t, y.conn.RecvCompletions(), 1)[0]
	if sent.Status != rdma.StatusOK || received.Status != rdma.StatusOK || received.Length != from.Len() {
		t.Fatalf("sent: %v, received: %v, %d bytes", sent.Status, received.Status, received.Length)
	}
}

// TestLargeSendsFromChangedRegions: large messages may leave from a region whose rights or zone have
// changed.
func TestLargeSendsFromChangedRegions(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		other, err := x.adapter.NewZone()
		must(t, err)
		r, err := other.Alloc(64<<10, mem.All)
		must(t, err)
		moved, err := x.zone.Adopt(r, mem.All)
		if err != nil {
			wantCode(t, err, rdma.ErrUnsupported, "register the memory again")
			return
		}
		large(t, x, y, moved.All())
		must(t, moved.Modify(mem.Local))
		large(t, x, y, moved.All())
	})
}

// TestLargeSendsFromManyRegions: a large message leaves from each of more regions than peers of the
// host can be told of.
func TestLargeSendsFromManyRegions(t *testing.T) {
	x, y := connect(t, "soft-shm")
	var all []*mem.Region
	for range 20_000 {
		r, err := x.zone.RegisterAgain(x.mem, mem.All)
		must(t, err)
		all = append(all, r)
	}
	for _, r := range all[len(all)-300:] {
		large(t, x, y, r.Slice(0, 64<<10))
	}
}

// TestBindBesideModify: windows are bound to a region whose rights change all the time. Neither waits
// for the other for ever.
func TestBindBesideModify(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, _ := connect(t, name)
		r, err := x.zone.Alloc(4096, mem.All)
		must(t, err)
		if err := r.Modify(mem.All); err != nil {
			wantCode(t, err, rdma.ErrUnsupported, "")
			return
		}
		w, err := x.zone.NewWindow(mem.ZoneWindow)
		must(t, err)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					_ = r.Modify(mem.All) // refused while the window is bound
				}
			}
		}()
		for i := range 5000 {
			b := rdma.Bind{Window: w}
			if i%2 == 0 {
				b.To, b.Rights = r.All(), mem.RemoteRead
			}
			_, err := x.conn.PostBind(b)
			must(t, err)
			if c := take(t, x.conn.SendCompletions(), 1)[0]; c.Status != rdma.StatusOK {
				t.Fatalf("bind %d: %v", i, c.Status)
			}
		}
		close(stop)
		<-stopped
	})
}

// TestHalfSentMemoryMoves: when a region has moved to another zone, or lost the right to be read, the
// rest of a message that is half sent does not come from its memory.
func TestHalfSentMemoryMoves(t *testing.T) {
	const n = 8_000_000 // more than sockets hold
	for what, change := range map[string]func(x *side, r *mem.Region) error{
		"moved": func(x *side, r *mem.Region) error {
			other, err := x.adapter.NewZone()
			if err != nil {
				return err
			}
			_, err = other.Adopt(r, mem.All)
			return err
		},
		"not to be read": func(_ *side, r *mem.Region) error { return r.Modify(mem.LocalWrite) },
	} {
		t.Run(what, func(t *testing.T) {
			x, y := connect(t, "soft-tcp")
			r, err := x.zone.Alloc(n, mem.All)
			must(t, err)
			into, err := y.zone.Alloc(n, mem.All)
			must(t, err)
			b := r.Bytes()
			must(t, x.conn.PostSend(rdma.Send{From: r.All()}))
			must(t, change(x, r))
			for i := range b {
				b[i] = 1 // the program uses the memory for something else
			}
			must(t, y.conn.PostRecv(rdma.Recv{Into: into.All()}))
			take(t, y.conn.RecvCompletions(), 1)
			for i, c := range into.Bytes() {
				if c != 0 {
					t.Fatalf("byte %d was sent after the change", i)
				}
			}
		})
	}
}
