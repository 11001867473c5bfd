package stream_test

import (
	"io"
	"maps"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// A deaf stream accepts nothing any more, as if its peer had closed it, and still delivers what the peer sent
// before.
type deaf struct {
	net.Conn
	gone *atomic.Bool
}

func (d deaf) Write(b []byte) (int, error) {
	if d.gone.Load() {
		return 0, io.ErrClosedPipe
	}
	return d.Conn.Write(b)
}

// deafened is a connection over such a stream after this side has noticed: the transport accepts a message,
// loses it, and reports that with the next one.
func deafened(t *testing.T) (*softtest.Lone, net.Conn) {
	t.Helper()
	var gone atomic.Bool
	p := softtest.NewPipes()
	p.Ours = func(c net.Conn) net.Conn { return deaf{c, &gone} }
	l, c := softtest.JoinedOver(t, p, true, hca.Options{})
	for id := range uint64(3) {
		if err := l.QP.PostRecv(hca.RecvWR{ID: id, Local: l.Seg(8)}); err != nil {
			t.Fatal(err)
		}
	}
	gone.Store(true)
	for id := range uint64(2) {
		if err := l.QP.PostSend(hca.SendWR{ID: 8 + id, Op: hca.OpSend, Local: l.Seg(8)}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	return l, c
}

// TestWhatCameBeforeTheEnd: the peer has sent something and closed the stream; a side that notices this with a
// write still takes what was sent.
func TestWhatCameBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, c := deafened(t)
		for n := range iwarp.MSN(2) {
			_, _ = c.Write(iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: iwarp.FirstMSN + n}, make([]byte, 8), true))
		}
		c.Close()
		synctest.Wait()
		if ev := <-l.Events; ev.Kind != hca.EventDisconnected {
			t.Errorf("it ended so: %+v", ev)
		}
		var wcs [8]hca.WC
		got := map[uint64]hca.Status{}
		for _, wc := range wcs[:l.CQ.Poll(wcs[:])] {
			got[wc.ID] = wc.Status
		}
		want := map[uint64]hca.Status{0: hca.StatusOK, 1: hca.StatusOK, 2: hca.StatusFlushed, 8: hca.StatusOK, 9: hca.StatusFlushed}
		if !maps.Equal(got, want) {
			t.Errorf("entries: %v, want %v", got, want)
		}
	})
}

// TestAStreamThatIsHalfLost: a stream that accepts nothing and does not end is given up.
func TestAStreamThatIsHalfLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := deafened(t)
		if took := l.Broken("the stream was lost"); took > 5*time.Second {
			t.Errorf("after %v", took)
		}
	})
}
