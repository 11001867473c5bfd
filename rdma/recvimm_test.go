package rdma_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestRecvIsForMessages: a write with immediate data is no message, and Recv does not
// take it for one; Receive tells what came.
func TestRecvIsForMessages(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		if !x.conn.Caps().WriteImmediate {
			t.Skip(name + " has no writes with immediate data")
		}
		write := rdma.Write{From: x.mem.Slice(0, 5), To: y.mem.Slice(100, 5).Remote(), Immediate: 77, Flags: rdma.WithImmediate}
		into := y.mem.Slice(0, 64)

		must(t, x.conn.PostWrite(write))
		n, err := y.conn.Recv(within(t), into)
		wantCode(t, err, rdma.ErrUnsupported, "a write with immediate data")
		var e *rdma.Error
		if !errors.As(err, &e) || e.Immediate != 77 || n != 0 {
			t.Errorf("%d bytes, %v: want none, and the number 77", n, err)
		}
		must(t, x.conn.PostWrite(write))
		c, err := y.conn.Receive(within(t), into)
		must(t, err)
		if c.Op != rdma.OpRecvWriteImm || c.Immediate != 77 || c.Err() != nil || c.Endpoint != y.conn.Endpoint() {
			t.Errorf("a write with immediate data: %+v", c)
		}
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 5)}))
		if c, err = y.conn.Receive(within(t), into); err != nil || c.Op != rdma.OpRecv || c.Length != 5 {
			t.Errorf("a message: %+v, %v", c, err)
		}
		if x.conn.Caps().SendImmediate {
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 5), Immediate: 78, Flags: rdma.WithImmediate}))
			if c, err = y.conn.Receive(within(t), into); err != nil || c.Op != rdma.OpRecvImm || c.Length != 5 || c.Immediate != 78 {
				t.Errorf("a message with immediate data: %+v, %v", c, err)
			}
		}
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 5)}))
		if n, err := y.conn.Recv(within(t), into); err != nil || n != 5 {
			t.Errorf("a message: %d, %v", n, err)
		}
	})
}
