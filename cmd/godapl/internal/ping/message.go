package ping

import (
	"encoding/binary"
	"fmt"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/rdma/mem"
)

// adSize is the length of all messages.
const adSize = 16

// putAd writes the message that tells where memory is: address (8 bytes), key (4)
// and length (4), each big-endian. The server's answers have the same length,
// and nobody looks into them.
func putAd(b []byte, r mem.Remote) {
	binary.BigEndian.PutUint64(b, r.Addr)
	binary.BigEndian.PutUint32(b[8:], uint32(r.Key))
	binary.BigEndian.PutUint32(b[12:], uint32(r.Length))
}

// takeAd reads it. The range may be nonsense: the posts that use it say so.
func takeAd(b [adSize]byte) mem.Remote {
	return mem.Remote{
		Addr:   binary.BigEndian.Uint64(b[:]),
		Key:    mem.Key(binary.BigEndian.Uint32(b[8:])),
		Length: uint64(binary.BigEndian.Uint32(b[12:])),
	}
}

// The letters of a ping: 'A' to 'z', and what ASCII has between the alphabets.
const (
	firstLetter = 'A'
	letters     = 'z' - 'A' + 1
)

// fillPing writes the ping of that number: its head, letters that begin one
// later with each ping, and a zero byte.
func fillPing(b []byte, number int) {
	head := fmt.Appendf(nil, "rdma-ping-%d: ", int32(number))
	n := copy(b, head)
	for i := range b[n:] {
		b[n+i] = byte(firstLetter + (number+i)%letters)
	}
	b[len(b)-1] = 0
}

// text is a ping up to its zero byte.
func text(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[:i]
		}
	}
	return b
}

// shown is the text of a ping, which is the peer's, for the terminal.
func shown(b []byte) string { return command.Plain(string(text(b))) }

// differ tells where a ping is not what it should be.
func differ(got, want []byte) error {
	for i := range want {
		if i >= len(got) {
			return fmt.Errorf("it has %d bytes instead of %d", len(got), len(want))
		}
		if got[i] != want[i] {
			return fmt.Errorf("byte %d of %d is %#02x instead of %#02x", i, len(want), got[i], want[i])
		}
	}
	return nil
}
