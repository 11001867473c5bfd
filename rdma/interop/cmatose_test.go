package interop_test

import (
	"os"
	"testing"
)

// cmatoseVariable is the address of a server of rdmacm-utils, ucmatose.
const cmatoseVariable = "GODAPL_INTEROP_CMATOSE"

// Its server speaks first: it sends ten messages of 100 bytes as soon as the
// connection is there, takes as many, and disconnects.
func TestCmatoseServer(t *testing.T) {
	address := os.Getenv(cmatoseVariable)
	if address == "" {
		t.Skip("no " + cmatoseVariable)
	}
	const messages, size = 10, 100
	w := &world{name: "soft-tcp", adapter: worlds[0].adapter, address: address}
	l, err := newLink(w.adapter, size, messages)
	ok(t, err)
	defer l.close()
	ok(t, w.connect(t, l, nil))
	for i := range messages {
		m, _, err := l.next(within(t))
		if err != nil || m.Len() != size {
			t.Fatalf("message %d: %d bytes, %v", i, m.Len(), err)
		}
	}
	for range messages {
		ok(t, l.conn.Send(within(t), l.out.Slice(0, size)))
	}
	ok(t, l.bye(within(t), nil))
}
