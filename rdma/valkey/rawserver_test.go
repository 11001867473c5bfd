package valkey_test

import (
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// rawServer connects a rawPeer that is the server with a connection of a Dialer. The peer has told
// of a buffer of 1000 bytes.
func rawServer(t testing.TB, a *rdma.Adapter, cfg valkey.Config) (*rawPeer, *valkey.Conn) {
	t.Helper()
	p, e := newRawPeer(t, a)
	ln, err := a.Listen(t.Context(), place(a), rdma.ListenConfig{})
	must(t, err)
	accepted := make(chan error, 1)
	go func() {
		r := <-ln.Requests()
		var err error
		p.conn, err = r.AcceptOn(t.Context(), e, rdma.ConnConfig{})
		accepted <- err
	}()
	d := valkey.Dialer{Adapter: a, Config: cfg}
	c, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
	must(t, err)
	must(t, <-accepted)
	must(t, ln.Close())
	p.connected(c)
	p.arrived(32) // the question for features
	r := p.memory.Remote()
	p.send(valkey.Register(r.Addr+1024, 1000, uint32(r.Key)))
	return p, c.(*valkey.Conn)
}

// TestLyingServers: what a server says against the protocol ends the connection of its client, with
// an error that says so. The server's other clients go on.
func TestLyingServers(t *testing.T) {
	const size = 4096
	cases := map[string]struct {
		do   func(p *rawPeer)
		want error
	}{
		"a write of no bytes":        {func(p *rawPeer) { p.write(0, 0, 0) }, valkey.ErrProtocol},
		"a number that is too large": {func(p *rawPeer) { p.write(0, 10, 4000) }, valkey.ErrProtocol},
		"more than the buffer":       {func(p *rawPeer) { p.write(0, size, size); p.write(0, 1, 1) }, valkey.ErrProtocol},
		"a write outside":            {func(p *rawPeer) { p.write(size-4, 8, 8) }, valkey.ErrReset},
		"features, twice":            {func(p *rawPeer) { p.send(opcode(0)); p.send(opcode(0)) }, valkey.ErrProtocol},
		"features of another group":  {func(p *rawPeer) { p.send(append([]byte{0, 0, 0, 1}, make([]byte, 28)...)) }, valkey.ErrProtocol},
		"a choice of features":       {func(p *rawPeer) { p.send(opcode(1)) }, valkey.ErrProtocol},
		"an unknown opcode":          {func(p *rawPeer) { p.send(opcode(9)) }, valkey.ErrProtocol},
		"a message too long":         {func(p *rawPeer) { p.send(append(opcode(2), 0)) }, valkey.ErrReset},
		"a message too short":        {func(p *rawPeer) { p.send(opcode(2)[:4]) }, valkey.ErrProtocol},
		"a buffer of no bytes":       {func(p *rawPeer) { p.send(valkey.Register(4096, 0, 1)) }, valkey.ErrProtocol},
		"a buffer of 4 GiB":          {func(p *rawPeer) { p.send(valkey.Register(4096, 1<<32-1, 1)) }, valkey.ErrReset},
		"memory of the client":       {func(p *rawPeer) { p.send(valkey.Register(p.buffer.Addr, size, uint32(p.buffer.Key))) }, valkey.ErrReset},
		"gone without a word":        {func(p *rawPeer) { _ = p.conn.Abort() }, valkey.ErrReset},
	}
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		good, other := rawServer(t, a, valkey.Config{Buffer: size, Receives: 16})
		must(t, other.SetDeadline(time.Now().Add(time.Minute)))
		at := 0
		for what, c := range cases {
			p, bad := rawServer(t, a, valkey.Config{Buffer: size, Receives: 16})
			c.do(p)
			must(t, bad.SetDeadline(time.Now().Add(20*time.Second)))
			var err error
			for err == nil {
				_, err = bad.Write(make([]byte, 1000)) // without reading, which would make room
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v", what, err)
			}
			good.write(at, 1, 1)
			at++
			_, err = other.Read(make([]byte, 1))
			must(t, err)
		}
	})
}

// TestBufferGivenAnew: a server may tell of its memory at any time. The next bytes go to its beginning.
func TestBufferGivenAnew(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		p, c := rawServer(t, open(t, name), valkey.Config{})
		must(t, c.SetDeadline(time.Now().Add(20*time.Second)))
		_, err := c.Write([]byte("first"))
		must(t, err)
		r := p.memory.Remote()
		p.send(valkey.Register(r.Addr+2048, 1000, uint32(r.Key)))
		p.write(0, 1, 1) // behind the message, so that the client knows of both
		_, err = c.Read(make([]byte, 1))
		must(t, err)
		_, err = c.Write([]byte("second"))
		must(t, err)
		p.arrived(5)
		p.arrived(6)
		for at, want := range map[int]string{1024: "first", 2048: "second"} {
			if got := string(p.memory.Slice(at, len(want)).Bytes()); got != want {
				t.Errorf("at %d: %q, not %q", at, got, want)
			}
		}
	})
}
