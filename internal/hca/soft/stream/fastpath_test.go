package stream_test

import (
	"bytes"
	"errors"
	"net"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestShortMessagesFillTheStream: short messages are sent one by one until the stream accepts no more, in the
// middle of one of them. None is lost or arrives twice, on either side.
func TestShortMessagesFillTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, c := softtest.Joined(t, true, hca.Options{})
		plain := l.QP.(hca.PlainPoster)
		var posted, completed uint64
		take := func() (any bool) {
			var wc [8]hca.WC
			for _, e := range wc[:l.CQ.Poll(wc[:])] {
				if e.ID != completed || e.Status != hca.StatusOK || e.Op != hca.OpSend || e.Len != 64 {
					t.Fatalf("entry %+v, want that of %d", e, completed)
				}
				completed++
				any = true
			}
			return any
		}
		for {
			err := plain.PostPlainSend(posted, 0, l.Seg(64))
			if errors.Is(err, hca.QueueFull) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			posted++
			take()
			synctest.Wait()
		}
		if posted < 1000 || completed == posted {
			t.Fatalf("%d messages were posted and %d completed: the stream is not full", posted, completed)
		}
		t.Logf("%d messages posted, %d with the stream", posted, completed)
		came := make(chan uint64)
		go func() { came <- takeSends(t, c, l.Array[64:128], posted) }()
		for completed < posted {
			if !take() {
				synctest.Wait()
			}
		}
		if n := <-came; n != posted {
			t.Errorf("%d messages came, %d were posted", n, posted)
		}
	})
}

// takeSends reads messages off the stream, up to most, which are all the same, and counts them.
func takeSends(t *testing.T, c net.Conn, want []byte, most uint64) (n uint64) {
	var b []byte
	buf := make([]byte, 10000)
	for n < most {
		k, err := c.Read(buf)
		if err != nil {
			t.Error(err)
			return n
		}
		for b = append(b, buf[:k]...); ; {
			ulpdu, used, _, err := iwarp.ParseFPDU(b, true)
			if err != nil {
				t.Error(err)
				return n
			}
			if used == 0 {
				break
			}
			b = b[used:]
			var s iwarp.Segment
			if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
				t.Error(err)
				return n
			}
			if s.Op != iwarp.OpSend {
				continue // a greeting
			}
			if n++; uint64(s.MSN) != n || !s.Last || !bytes.Equal(s.Payload, want) {
				t.Errorf("message %d is %+v", n, s)
			}
		}
	}
	return n
}
