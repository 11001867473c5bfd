package ping

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/mem"
)

// The bytes of the C program: what it sends is 64 bits of address, 32 of key, 32
// of length, in network order.
func TestAd(t *testing.T) {
	r := mem.Remote{Addr: 0x00007f1234567890, Key: 0x00abcd02, Length: 64}
	const want = "00007f1234567890" + "00abcd02" + "00000040"
	var b [adSize]byte
	if putAd(b[:], r); hex.EncodeToString(b[:]) != want {
		t.Errorf("%x, want %s", b, want)
	}
	if got := takeAd(b); got.Addr != r.Addr || got.Key != r.Key || got.Length != r.Length {
		t.Errorf("%v, want %v", got, r)
	}
	if putAd(b[:], mem.Remote{}); b != [adSize]byte{} {
		t.Errorf("%x", b)
	}
}

// What the C program of rdma-core 44 shows with -v, and the zero byte.
func TestPing(t *testing.T) {
	const all = `ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_` + "`abcdefghijklmnopqrstuvwxyz"
	turned := func(n int) string { return strings.Repeat(all[n:]+all[:n], 3) }
	for _, c := range []struct {
		number, size int
		want         string
	}{
		{0, 64, "rdma-ping-0: " + turned(0)[:50] + "\x00"},
		{1, 64, "rdma-ping-1: " + turned(1)[:50] + "\x00"},
		{57, 100, "rdma-ping-57: " + turned(57)[:85] + "\x00"},
		{58, 100, "rdma-ping-58: " + turned(0)[:85] + "\x00"},
		{12345, 23, "rdma-ping-12345: " + turned(12345 % 58)[:5] + "\x00"},
		{1234567890, 24, "rdma-ping-1234567890: " + turned(1234567890 % 58)[:1] + "\x00"},
		{1234567890, 23, "rdma-ping-1234567890: \x00"},
	} {
		b := make([]byte, c.size)
		if fillPing(b, c.number); string(b) != c.want {
			t.Errorf("%q, want %q", b, c.want)
		}
		if got := string(text(b)); got != strings.TrimRight(c.want, "\x00") {
			t.Errorf("text %q", got)
		}
	}
}
