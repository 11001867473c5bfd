package integration_test

import (
	"errors"

	"github.com/godapl/godapl/rdma"
)

// useStale uses the connection of the previous round while the endpoint has a new one. The
// operations must not reach the new connection; the records would show that.
func (r *driveRound) useStale() {
	old := r.previous()
	if old == nil {
		return
	}
	const cookie = 1<<63 - 1 // in no record
	from, into := r.calls.region.Slice(0, 8), r.calls.region.Slice(8, 8)
	for what, err := range map[string]error{
		"send":    old.PostSend(rdma.Send{From: from, Cookie: cookie}),
		"read":    old.PostRead(rdma.Read{Into: into, From: r.peer.constant.region.Remote().Slice(0, 8), Cookie: cookie}),
		"write":   old.PostWrite(rdma.Write{From: from, To: r.peer.target.region.Remote().Slice(0, 8), Cookie: cookie}),
		"receive": old.PostRecv(rdma.Recv{Into: into, Cookie: cookie}),
	} {
		if err == nil {
			r.d.failf("link %d side %d: the connection of the round before took a %s", r.link, r.side, what)
		}
	}
	if err := old.Abort(); err != nil && !errors.Is(err, rdma.ErrClosed) {
		r.d.failf("link %d side %d: the connection of the round before: %v", r.link, r.side, err)
	}
	if s := old.State(); s != rdma.StateDisconnected && s != rdma.StateClosed {
		r.d.failf("link %d side %d: the connection of the round before is %v", r.link, r.side, s)
	}
}

func (s *driveEnd) previous() *rdma.Conn {
	s.d.booksMu.Lock()
	defer s.d.booksMu.Unlock()
	if len(s.rounds) < 2 {
		return nil
	}
	return s.rounds[len(s.rounds)-2].conn
}
