package valkey_test

import (
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/valkey"
)

// opcode is a message of 32 bytes with an opcode.
func opcode(low byte) []byte { return append([]byte{0, low}, make([]byte, 30)...) }

// TestBadPeers: what a peer does against the protocol ends its connection, and soon, with an error
// that says so. Another connection of the same listener goes on.
func TestBadPeers(t *testing.T) {
	const size = 4096
	cases := map[string]struct {
		do   func(p *rawPeer)
		want error
	}{
		"a write of no bytes":        {func(p *rawPeer) { p.write(0, 0, 0) }, valkey.ErrProtocol},
		"a number that is too large": {func(p *rawPeer) { p.write(0, 10, 11) }, valkey.ErrProtocol},
		"a number that is too small": {func(p *rawPeer) { p.write(0, 10, 9) }, valkey.ErrProtocol},
		"a number beyond any buffer": {func(p *rawPeer) { p.write(0, 10, 1<<32-1) }, valkey.ErrProtocol},
		"more than the buffer":       {func(p *rawPeer) { p.write(0, size, size); p.write(0, 1, 1) }, valkey.ErrProtocol},
		"an unknown opcode":          {func(p *rawPeer) { p.send(opcode(4)) }, valkey.ErrProtocol},
		"the mark of free buffers":   {func(p *rawPeer) { p.send(append([]byte{255, 255}, make([]byte, 30)...)) }, valkey.ErrProtocol},
		"a message too short":        {func(p *rawPeer) { p.send(opcode(2)[:31]) }, valkey.ErrProtocol},
		"a buffer of no bytes":       {func(p *rawPeer) { p.send(valkey.Register(4096, 0, 1)) }, valkey.ErrProtocol},
		"a buffer that wraps":        {func(p *rawPeer) { p.send(valkey.Register(^uint64(0)-3, 4096, 1)) }, valkey.ErrProtocol},
		"a key that is not there":    {func(p *rawPeer) { p.send(valkey.Register(4096, 4096, 0xdead)) }, valkey.ErrReset},
		"a write outside":            {func(p *rawPeer) { p.write(1<<20, 8, 8) }, valkey.ErrReset},
		"gone without a word":        {func(p *rawPeer) { _ = p.conn.Abort() }, valkey.ErrReset},
	}
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		ln := listen(t, a, valkey.Config{Buffer: size, Receives: 16})
		x, y := connect(t, ln, &valkey.Dialer{Adapter: a})
		for what, c := range cases {
			p, bad := rawPair(t, a, ln)
			c.do(p)
			must(t, bad.SetDeadline(time.Now().Add(20*time.Second)))
			var err error
			for err == nil {
				// Without reading. The peer has no room, or room that is not there.
				_, err = bad.Write(make([]byte, 1000))
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v", what, err)
			}
			_, err = x.Write([]byte("x"))
			must(t, err)
			_, err = y.Read(make([]byte, 1))
			must(t, err)
		}
	})
}

// TestQuestions: a client may ask for features at any time, and as often as it likes. It gets an
// answer, and the stream goes on.
func TestQuestions(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		ln := listen(t, a, valkey.Config{})
		p, y := rawPair(t, a, ln)
		for range 20 {
			p.send(opcode(0))
			p.send(opcode(1))
			p.send(opcode(2))
		}
		p.write(0, 5, 5)
		b := make([]byte, 5)
		must(t, y.SetDeadline(time.Now().Add(20*time.Second)))
		_, err := y.Read(b)
		must(t, err)
		if got := p.arrived(32); string(got) != string(opcode(0)) {
			t.Errorf("the answer is %x", got)
		}
	})
}
