package valkey

import (
	"fmt"

	"github.com/godapl/godapl/rdma/mem"
)

// reader accounts for this side's buffer, which the peer fills front to back.
type reader struct{ size, fill, at int }

// add takes note of a write. The number is the immediate data, the length what was written.
func (r *reader) add(number uint32, length int) error {
	switch {
	case number == 0:
		return protocolError("a write of no bytes")
	case int64(number) != int64(length):
		return protocolError(fmt.Sprintf("a write of %d bytes says that it has %d", length, number))
	case int64(number) > int64(r.size-r.fill):
		return protocolError(fmt.Sprintf("a write of %d bytes, but the buffer has room for %d", number, r.size-r.fill))
	}
	r.fill += int(number)
	return nil
}

// ready is what has arrived and was not read: where it begins, and how much it is.
func (r *reader) ready() (at, n int) { return r.at, r.fill - r.at }

// read takes note that n bytes were read. If it returns true, the buffer has been read to its end and
// the peer must be told to begin anew.
func (r *reader) read(n int) bool {
	r.at += n
	if r.at < r.size {
		return false
	}
	r.at, r.fill = 0, 0
	return true
}

// writer accounts for the peer's buffer.
type writer struct {
	to mem.Remote
	at uint64
	// unserved is how many writes there were since the peer was last heard of.
	unserved int
}

// register takes the peer's buffer, which is to be written from its beginning.
func (w *writer) register(m message) error {
	to := mem.Remote{Key: mem.Key(m.key), Addr: m.address, Length: uint64(m.length)}
	if m.length == 0 || m.address+uint64(m.length) < m.address {
		return protocolError(fmt.Sprintf("a buffer of %d bytes at address %#x", m.length, m.address))
	}
	w.to, w.at = to, 0
	return nil
}

// room is how many bytes may be written now.
func (w *writer) room() int { return int(min(w.to.Length-w.at, roomMost)) }

// roomMost is what room says at most: an int may have 32 bits, and a peer may name a buffer of 4 GiB.
const roomMost = 1 << 30

// put is where the next n bytes go.
func (w *writer) put(n int) mem.Remote {
	to := w.to
	to.Addr, to.Length = to.Addr+w.at, uint64(n)
	w.at += uint64(n)
	w.unserved++
	return to
}

// gatherAfter is the number of unserved writes after which small ones are gathered. A server posts 1024
// receives, and posts them anew only when its one thread gets to it. valkey-server
// answers a connection request with an RNR retry count of 0, so a write that finds no receive ends
// the connection.
const gatherAfter = 256

// gather is the least size of a write while many are unserved; 0 if any will do. With it a
// buffer takes less than 800 writes in all until it is full, and then the server has served them all
// before it begins anew.
func (w *writer) gather() int {
	if w.unserved < gatherAfter {
		return 0
	}
	return int(min(w.to.Length/512, gatherMost))
}

// gatherMost bounds the bytes that are gathered. It is for the largest buffer that valkey-server has.
const gatherMost = bufferMost / 512
