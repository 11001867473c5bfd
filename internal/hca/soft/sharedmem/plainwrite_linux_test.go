package sharedmem_test

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/keynumber"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// wordPair is a connection on which words are already written by the fast path: from the first word of near,
// which is not all of a's memory, to any word of far, which is all of b's.
type wordPair struct {
	a, b      *softtest.End
	near, far hca.MR
	into      []byte
}

const wordNear, wordFar = 64, 4096

func newWordPair(t *testing.T) *wordPair {
	t.Helper()
	p := &wordPair{}
	p.a, p.b = softtest.Connect(t, "shm", 4, 4096)
	softtest.Fill(p.a.Mem)
	m := softtest.FileMemory(t, wordFar)
	p.into = m.Bytes
	var err error
	if p.far, err = p.b.PD.Register(m, hca.AllAccess); err != nil {
		t.Fatal(err)
	}
	if p.near, err = p.a.PD.Register(hca.Memory{Bytes: p.a.Mem[wordNear : 2*wordNear], Own: true}, hca.LocalRead); err != nil {
		t.Fatal(err)
	}
	for !sharedmem.PlainWriteReady(p.a.QP, p.far.RKey()) { // the other side's memory is not mapped yet
		if got := p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr(), p.far.RKey()); got != hca.StatusOK {
			t.Fatal(got)
		}
		runtime.Gosched()
	}
	clear(p.into)
	return p
}

// write writes a word and returns its status.
func (p *wordPair) write(t *testing.T, from uint64, lkey hca.Key, to uint64, rkey hca.Key) hca.Status {
	t.Helper()
	err := p.a.QP.(hca.PlainPoster).PostPlainWrite(7, 0, hca.Segment{Addr: from, Len: 8, Key: lkey}, to, rkey)
	if err != nil {
		t.Fatal(err)
	}
	return p.done(t, hca.OpWrite)
}

// done awaits the only request, and returns its status.
func (p *wordPair) done(t *testing.T, op hca.Op) hca.Status {
	t.Helper()
	var wcs [2]hca.WC
	for {
		var other [1]hca.WC
		p.b.RecvCQ.Poll(other[:]) // what is not done at once, the other side does
		if n := p.a.SendCQ.Poll(wcs[:]); n > 0 {
			if n > 1 || wcs[0].ID != 7 || wcs[0].Op != op || wcs[0].Status == hca.StatusOK && wcs[0].Len != 8 {
				t.Fatalf("%d entries, %+v", n, wcs[0])
			}
			return wcs[0].Status
		}
	}
}

// TestShmWord: the fast path writes the word, and nothing else.
func TestShmWord(t *testing.T) {
	p := newWordPair(t)
	for _, at := range []uint64{0, 8, wordFar - 8, 1, 60, wordFar - 9} { // the last ones are not aligned
		for _, from := range []uint64{0, 3, wordNear - 8} {
			clear(p.into)
			if got := p.write(t, p.near.Addr()+from, p.near.LKey(), p.far.Addr()+at, p.far.RKey()); got != hca.StatusOK {
				t.Fatal(got)
			}
			want := make([]byte, wordFar)
			copy(want[at:], p.a.Mem[wordNear+from:][:8])
			if string(want) != string(p.into) {
				t.Fatalf("from %d to %d: %x", from, at, p.into)
			}
		}
	}
}

// TestShmWordIsChecked: what is refused to any write is refused here too, and then nothing is written.
func TestShmWordIsChecked(t *testing.T) {
	last := func(mr hca.MR, n uint64) uint64 { return mr.Addr() + n - 8 }
	for _, c := range []struct {
		name string
		do   func(t *testing.T, p *wordPair) hca.Status
		want hca.Status
	}{
		{"from behind the region", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, last(p.near, wordNear)+1, p.near.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusLocalProtection},
		{"from before the region", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, p.near.Addr()-1, p.near.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusLocalProtection},
		{"from the end of all addresses", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, ^uint64(0)-3, p.near.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusLocalProtection},
		{"from memory that was freed", func(t *testing.T, p *wordPair) hca.Status {
			if err := p.near.Close(); err != nil {
				t.Fatal(err)
			}
			return p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusLocalProtection},
		{"from memory that may not be read", func(t *testing.T, p *wordPair) hca.Status {
			mr, err := p.a.PD.Register(hca.Memory{Bytes: p.a.Mem}, hca.LocalWrite)
			if err != nil {
				t.Fatal(err)
			}
			return p.write(t, mr.Addr(), mr.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusLocalProtection},
		{"from memory of another zone", func(t *testing.T, p *wordPair) hca.Status {
			pd, err := p.a.A.NewPD()
			if err != nil {
				t.Fatal(err)
			}
			mr, err := pd.Register(hca.Memory{Bytes: p.a.Mem}, hca.AllAccess)
			if err != nil {
				t.Fatal(err)
			}
			return p.write(t, mr.Addr(), mr.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusLocalProtection},
		{"to behind the region", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, p.near.Addr(), p.near.LKey(), last(p.far, wordFar)+8, p.far.RKey())
		}, hca.StatusRemoteAccess},
		{"to before the region", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr()-8, p.far.RKey())
		}, hca.StatusRemoteAccess},
		{"to the end of all addresses", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, p.near.Addr(), p.near.LKey(), -p.far.Addr()%8-8, p.far.RKey())
		}, hca.StatusRemoteAccess},
		{"to memory that was freed", func(t *testing.T, p *wordPair) hca.Status {
			if err := p.far.Close(); err != nil {
				t.Fatal(err)
			}
			return p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusRemoteAccess},
		{"with another key", func(t *testing.T, p *wordPair) hca.Status {
			return p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr(), p.far.RKey()^1<<6) // the same place in the rkey cache
		}, hca.StatusRemoteAccess},
		{"behind the end", func(t *testing.T, p *wordPair) hca.Status {
			if err := p.a.QP.Disconnect(false); err != nil {
				t.Fatal(err)
			}
			return p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr(), p.far.RKey())
		}, hca.StatusFlushed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newWordPair(t)
			if got := c.do(t, p); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			for i, b := range p.into {
				if b != 0 {
					t.Fatalf("byte %d was written", i)
				}
			}
		})
	}
}

// TestShmWordOfNoKey: number 0 is no key, even where the key of some memory has been forgotten.
func TestShmWordOfNoKey(t *testing.T) {
	draw := func() uint32 { // a key whose place in the rkey cache is that of key 0
		k := rand.Uint32()
		return k&^63 | k>>8&63
	}
	keynumber.Hook.Store(&draw)
	defer keynumber.Hook.Store(nil)
	p := newWordPair(t)
	// With other rights the key is valid still, but leaves the key directory, and so the cache.
	if err := p.far.(hca.Modifier).Modify(hca.AllAccess &^ hca.RemoteAtomic); err != nil {
		t.Fatal(err)
	}
	read := hca.SendWR{ID: 7, Op: hca.OpRead, Local: hca.Segment{Addr: p.a.MR.Addr() + 2*wordNear, Len: 8, Key: p.a.MR.LKey()}, Remote: p.far.Addr(), RKey: p.far.RKey()}
	if err := p.a.QP.PostSend(read); err != nil {
		t.Fatal(err)
	}
	if got := p.done(t, hca.OpRead); got != hca.StatusOK {
		t.Fatal(got)
	}
	if err := p.far.Close(); err != nil {
		t.Fatal(err)
	}
	if got := p.write(t, p.near.Addr(), p.near.LKey(), p.far.Addr(), 0); got != hca.StatusRemoteAccess {
		t.Errorf("%v, want %v", got, hca.StatusRemoteAccess)
	}
	if got := binary.NativeEndian.Uint64(p.into); got != 0 {
		t.Errorf("%#x was written to memory that was freed", got)
	}
}

// TestShmWordKeepsItsPlace: words wait for room, and for earlier requests.
func TestShmWordKeepsItsPlace(t *testing.T) {
	p := newWordPair(t)
	poster := p.a.QP.(hca.PlainPoster)
	seg := hca.Segment{Addr: p.near.Addr(), Len: 8, Key: p.near.LKey()}
	const depth = 4
	for i := range uint64(depth) {
		if err := poster.PostPlainWrite(i, 0, seg, p.far.Addr(), p.far.RKey()); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := poster.PostPlainWrite(depth, 0, seg, p.far.Addr(), p.far.RKey()); err == nil || err.(*hca.Error).Code != hca.QueueFull {
		t.Fatal("one more than there is room for:", err)
	}
	for i, wc := range softtest.PollN(t, p.a.SendCQ, depth) {
		if wc.ID != uint64(i) {
			t.Fatalf("entry %d is of %d", i, wc.ID)
		}
	}
	// A message that waits for its receive: the word must not overtake it.
	if err := p.a.QP.PostSend(hca.SendWR{ID: 1, Op: hca.OpSend, Local: seg}); err != nil {
		t.Fatal(err)
	}
	binary.NativeEndian.PutUint64(p.into, 0)
	if err := poster.PostPlainWrite(2, 0, seg, p.far.Addr(), p.far.RKey()); err != nil {
		t.Fatal(err)
	}
	var wcs [2]hca.WC
	if n := p.a.SendCQ.Poll(wcs[:]); n != 0 {
		t.Fatalf("%d entries before the receive: %+v", n, wcs)
	}
	if err := p.b.QP.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: p.b.MR.Addr(), Len: 64, Key: p.b.MR.LKey()}}); err != nil {
		t.Fatal(err)
	}
	softtest.PollN(t, p.b.RecvCQ, 1)
	for i, wc := range softtest.PollN(t, p.a.SendCQ, 2) {
		if wc.ID != uint64(1+i) || wc.Status != hca.StatusOK {
			t.Fatalf("entry %d: %+v", i, wc)
		}
	}
}

// TestShmWordWaitsAtTheGate: while another goroutine is inside, the word waits there.
func TestShmWordWaitsAtTheGate(t *testing.T) {
	p := newWordPair(t)
	seg := hca.Segment{Addr: p.near.Addr(), Len: 8, Key: p.near.LKey()}
	sharedmem.InsideSends(p.a.QP, func() {
		if err := p.a.QP.(hca.PlainPoster).PostPlainWrite(1, 0, seg, p.far.Addr(), p.far.RKey()); err != nil {
			t.Fatal(err)
		}
		if got := binary.NativeEndian.Uint64(p.into); got != 0 {
			t.Errorf("%#x was written beside who is inside", got)
		}
	})
	if wc := softtest.PollN(t, p.a.SendCQ, 1)[0]; wc.ID != 1 || wc.Status != hca.StatusOK {
		t.Errorf("%+v", wc)
	}
	if string(p.into[:8]) != string(p.a.Mem[wordNear:][:8]) {
		t.Errorf("%x was not written", p.into[:8])
	}
}
