package rdma_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// What somebody prints while looking for a mistake is words, and no look into memory
// that others change.
func TestStrings(t *testing.T) {
	a, p := connect(t, "soft-loop")
	ln := listen(t, a.adapter)
	idle, err := a.adapter.NewEndpoint(rdma.EndpointConfig{Zone: a.zone})
	must(t, err)
	must(t, p.conn.PostRecv(rdma.Recv{Into: p.mem.Slice(0, 8), Cookie: 7}))
	must(t, p.conn.PostRecv(rdma.Recv{Into: p.mem.Slice(8, 8), Cookie: 8}))
	must(t, a.conn.Send(within(t), a.mem.Slice(0, 5)))
	done, _, err := p.conn.RecvCompletions().Wait(within(t), 1)
	must(t, err)
	for _, c := range []struct {
		have any
		want string
	}{
		{a.adapter, "adapter soft-loop"},
		{idle, "endpoint #, unconnected"},
		{a.conn, "connection to " + a.conn.RemoteAddr().String() + " over loop, connected"},
		{a.conn.Endpoint(), "endpoint #, connected"},
		{ln, "listener at " + ln.Addr().String()},
		{done, "receive 7: success, 5 bytes"},
		{&done, "receive 7: success, 5 bytes"},
	} {
		if have := numbers.ReplaceAllString(fmt.Sprint(c.have), "$1 #"); have != c.want {
			t.Errorf("%q, want %q", have, c.want)
		}
	}
	must(t, a.conn.Shutdown(within(t)))
	flushed, _, err := p.conn.RecvCompletions().Wait(within(t), 1)
	must(t, err)
	if have, want := fmt.Sprint(flushed), "receive 8: flushed"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}
