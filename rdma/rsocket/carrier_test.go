package rsocket_test

import (
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestCarrier: over TCP each message is a send behind its write, although both ends have immediate data
// there: programs of C on iWARP know nothing else. Elsewhere it is immediate data. The other way is a
// violation.
func TestCarrier(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		p, y := rawPair(t, a, listen(t, a, rsocket.Config{}))
		sends := sends(p.conn)
		want := rdma.OpRecvWriteImm
		if sends {
			want = rdma.OpRecv
		}
		_, err := y.Write([]byte("hello"))
		must(t, err)
		// Its half 1, and then the bytes.
		for _, m := range []rsock.Message{rsock.WindowMessage(p.hello.Credits), rsock.DataMessage(5)} {
			c, _, err := p.conn.RecvCompletions().Wait(t.Context(), 1)
			must(t, err)
			must(t, c.Err())
			if got := p.got(&c); c.Op != want || got != m {
				t.Errorf("%v came by %v; want %v by %v", got, c.Op, m, want)
			}
		}
		if got := string(p.memory.Slice(64, 5).Bytes()); got != "hello" {
			t.Errorf("the half has %q", got)
		}

		if sends && p.conn.Caps().WriteImmediate {
			must(t, p.conn.PostWrite(rdma.Write{To: p.table().Slice(0, 0), Immediate: uint32(rsock.DataMessage(1)), Flags: rdma.WithImmediate}))
		} else if !sends {
			must(t, p.conn.PostSend(rdma.Send{From: p.memory.Slice(3900, rsock.MessageSize)}))
		} else {
			return
		}
		must(t, y.SetDeadline(time.Now().Add(20*time.Second)))
		if _, err := y.Read(make([]byte, 1)); !errors.Is(err, rsocket.ErrProtocol) {
			t.Errorf("after a message in the other way: %v", err)
		}
	})
}
