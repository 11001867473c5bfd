package valkey

import (
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/mem"
)

// ParseRegister is the memory that a message tells of.
func ParseRegister(b []byte) mem.Remote {
	m, err := parse(b, len(b))
	if err != nil || m.op != register {
		return mem.Remote{}
	}
	return mem.Remote{Key: mem.Key(m.key), Addr: m.address, Length: uint64(m.length)}
}

// Register is the message that tells of memory.
func Register(address uint64, length, key uint32) []byte {
	b := make([]byte, messageSize)
	message{op: register, address: address, length: length, key: key}.put(b)
	return b
}

// Unserved is how many writes there were since the peer was heard of.
func (c *Conn) Unserved() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tx.unserved
}

// Unread is how many bytes have arrived and were not read.
func (c *Conn) Unread() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, n := c.rx.ready()
	return n
}

// Reading reports whether a Read waits.
func (c *Conn) Reading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sides.Waits(&c.sides.In)
}

// BeforeMessage has f run once when the connection knows where a message lies and has not read it yet, until the returned
// function is called.
func (c *Conn) BeforeMessage(f func()) (end func()) {
	set := func(to func(mem.Slice) ([]byte, error)) {
		c.mu.Lock()
		defer c.mu.Unlock()
		bytesOf = to
	}
	set(streamtest.BytesBefore(c.l.shut, f))
	return func() { set(stream.Bytes) }
}
