package rsock_test

import (
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/internal/rsock"
)

// C's sizes.
const (
	credits = 384
	half    = 65536
	most    = 1 << 20
)

func peer(credits uint16, half uint32) *rsock.Hello {
	return &rsock.Hello{Credits: credits, Table: rsock.Entry{Addr: 0x1000, Key: 1, Length: 2}, Half: rsock.Entry{Addr: 0x10000, Key: 2, Length: half}}
}

// TestFirstWindow is the beginning of every connection: the first window message has half 1.
func TestFirstWindow(t *testing.T) {
	r := rsock.NewReceiver(credits, half, 2)
	if !r.NeedsHalf() {
		t.Fatal("half 1 is not announced")
	}
	if index, limit := r.Announce(half); index != 1 || limit != 384 || r.NeedsHalf() || r.NeedsLimit() {
		t.Fatalf("index %d, limit %d", index, limit)
	}
	s := rsock.NewSender(peer(credits, half), true)
	if index, carries, err := s.Window(384); index != 1 || !carries || err != nil {
		t.Fatal(index, carries, err)
	}
	if err := s.Add(rsock.Entry{Addr: 0x20000, Key: 2, Length: half}); err != nil {
		t.Fatal(err)
	}
	if _, carries, err := s.Window(384); carries || err != nil {
		t.Fatal("a window message without an entry:", carries, err)
	}
}

// TestSmallMessages: with messages of one byte the credits end first, and after 192 messages read
// the limit is 576 (0x80000240).
func TestSmallMessages(t *testing.T) {
	s := rsock.NewSender(peer(credits, half), true)
	r := rsock.NewReceiver(credits, half, 2)
	r.Announce(half)
	for range credits {
		if s.Room() == 0 {
			t.Fatal("no room before the credits are used")
		}
		s.Put(1)
		if err := r.Data(1); err != nil {
			t.Fatal(err)
		}
	}
	if s.Room() != 0 {
		t.Fatal("room without credits")
	}
	if r.Data(1) == nil {
		t.Fatal("a message without a credit was taken")
	}
	r.Read(191)
	if r.NeedsLimit() {
		t.Fatal("a limit is due too early")
	}
	r.Read(1)
	if !r.NeedsLimit() || rsock.WindowMessage(r.Limit()) != 0x80000240 || r.NeedsLimit() {
		t.Fatal("the limit after 192 messages")
	}
}

// TestReserve: behind iWARP some credits stay unused.
func TestReserve(t *testing.T) {
	for _, c := range []struct{ credits, sent int }{{1, 1}, {3, 3}, {4, 3}, {16, 12}, {384, 376}} {
		s := rsock.NewSender(peer(uint16(c.credits), half), false)
		n := 0
		for ; s.Room() > 0; n++ {
			s.Put(1)
		}
		if n != c.sent {
			t.Errorf("%d credits: %d messages, want %d", c.credits, n, c.sent)
		}
	}
}

// TestStream sends through a small ring with many wraps, of both the entries and the sequence
// numbers, each step in an order that is drawn. Window messages are handled late, many at a time.
func TestStream(t *testing.T) {
	t.Run("", func(t *testing.T) { stream(t, false) })
	t.Run("sparing", func(t *testing.T) { stream(t, true) })
}

func stream(t *testing.T, sparing bool) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const entries = 3
	h := peer(16, 128)
	h.Table.Length = 2 // this side's table; the peer's has three
	s, r := rsock.NewSender(h, !sparing), rsock.NewReceiver(16, 128, entries)
	r.Sparing = sparing
	type window struct {
		limit uint16
		entry rsock.Entry
	}
	var sent []int
	var windows []window
	sentBytes, read, size, index := 0, 0, 128, uint32(1)
	for step := 0; step < 4_000_000 && sentBytes < 4<<20; step++ {
		switch rnd.IntN(4) {
		case 0:
			if room := s.Room(); room > 0 {
				n := 1 + rnd.IntN(min(room, 1+rnd.IntN(60)))
				if to := s.Put(n); to.Length != uint32(n) || to.Key == 0 {
					t.Fatalf("%+v for %d bytes", to, n)
				}
				sent = append(sent, n)
				sentBytes += n
			}
		case 1:
			if len(sent) > 0 {
				if err := r.Data(uint32(sent[0])); err != nil {
					t.Fatal(err)
				}
				sent = sent[1:]
			}
		case 2:
			if _, n := r.Ready(); n > 0 {
				n = 1 + rnd.IntN(n)
				r.Read(n)
				read += n
			}
			for r.NeedsHalf() {
				size = 64 + rnd.IntN(300)
				i, limit := r.Announce(size)
				if i != index {
					t.Fatalf("entry at %d, want %d", i, index)
				}
				index = (index + 1) % entries
				windows = append(windows, window{limit, rsock.Entry{Addr: uint64(step), Key: 7, Length: uint32(size)}})
			}
			if r.NeedsLimit() {
				windows = append(windows, window{limit: r.Limit()})
			}
		case 3:
			if rnd.IntN(3) > 0 {
				break
			}
			for ; len(windows) > 0; windows = windows[1:] {
				w := windows[0]
				_, carries, err := s.Window(w.limit)
				if err != nil || carries != (w.entry.Length > 0) {
					t.Fatalf("step %d: carries %t, %v; want %+v", step, carries, err, w)
				}
				if carries {
					if err := s.Add(w.entry); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if sentBytes < 4<<20 {
		t.Fatalf("the stream stopped after %d bytes, %d read", sentBytes, read)
	}
}

// TestSparing: a sparing receiver tells the peer of its first halves, and then nothing until the
// peer has less than a quarter of one left, or of its credits.
func TestSparing(t *testing.T) {
	r := rsock.NewReceiver(credits, half, 2)
	r.Sparing = true
	if !r.NeedsHalf() {
		t.Fatal("half 1 is not announced")
	}
	r.Announce(half)
	left := 2 * half
	for left-1000 >= half/4 {
		if err := r.Data(1000); err != nil {
			// The last message of a half is shorter.
			if err := r.Data(half % 1000); err != nil {
				t.Fatal(err)
			}
			left += 1000 - half%1000
		}
		for _, n := r.Ready(); n > 0; _, n = r.Ready() {
			r.Read(n)
		}
		left -= 1000
		if r.NeedsHalf() || r.NeedsLimit() {
			t.Fatalf("a message with %d bytes left", left)
		}
	}
	if err := r.Data(1000); err != nil || !r.NeedsHalf() {
		t.Fatal("no message with less than a quarter of a half left", err)
	}
	if r.Size(half, most) != half {
		t.Error("crowded, with a program that reads at once")
	}

	// A peer that fills the ring waits until it is told of room.
	r = rsock.NewReceiver(credits, half, 2)
	r.Sparing = true
	r.Announce(half)
	for range 2 {
		if r.Size(half, most) != half {
			t.Error("crowded, while there is room")
		}
		if err := r.Data(half); err != nil {
			t.Fatal(err)
		}
		r.Read(half)
	}
	if !r.NeedsHalf() || r.Size(half, most) == half {
		t.Error("not crowded, and the peer has no room")
	}

	r = rsock.NewReceiver(credits, half, 2)
	r.Sparing = true
	r.Announce(half)
	for i := range credits {
		if err := r.Data(1); err != nil {
			t.Fatal(err)
		}
		if r.Read(1); r.NeedsLimit() != (i+1 >= credits*3/4) {
			t.Fatalf("a limit after %d messages", i+1)
		}
	}
}

func TestPeerAgainstTheRules(t *testing.T) {
	s := rsock.NewSender(peer(credits, half), true)
	if _, _, err := s.Window(385); err == nil {
		t.Error("a limit beyond what was sent")
	}
	if _, _, err := s.Window(383); err == nil {
		t.Error("a limit that goes back")
	}
	for _, e := range []rsock.Entry{{}, {Addr: 1, Key: 1}, {Addr: ^uint64(0), Key: 1, Length: 2}} {
		if s.Add(e) == nil {
			t.Errorf("entry %+v", e)
		}
	}
	r := rsock.NewReceiver(16, 128, 2)
	for _, n := range []uint32{0, 129, 1 << 28} {
		if r.Data(n) == nil {
			t.Errorf("data of %d bytes", n)
		}
	}
	if err := r.Data(128); err != nil {
		t.Error(err)
	}
	if r.Data(1) == nil {
		t.Error("data for a full ring")
	}
	r = rsock.NewReceiver(16, 128, 2)
	for range 1000 { // they count, and nothing is left of them to be read
		if err := r.IOMap(); err != nil {
			if r.NeedsLimit() {
				r.Limit()
				continue
			}
			t.Fatal(err)
		}
	}
}

// TestReadTooMuch: a program cannot have read more than has arrived.
func TestReadTooMuch(t *testing.T) {
	r := rsock.NewReceiver(credits, half, 2)
	if err := r.Data(10); err != nil {
		t.Fatal(err)
	}
	if r.Read(half) {
		t.Error("a half of which little has arrived is free")
	}
	if at, n := r.Ready(); at != 10 || n != 0 {
		t.Errorf("%d bytes at %d are ready", n, at)
	}
	if limit := r.Limit(); limit != credits+1 {
		t.Errorf("the limit is %d after one message", limit)
	}
}
