package sharedmem_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// A damage is what a peer writes to the shared memory, and after how many posts.
type damage struct {
	behind, at int
	value      uint64
}

// A manner is how both sides post the requests that meet the damage.
type manner struct {
	plain  bool // writes and sends in the plain form
	mapped bool // memory that the peer can map
}

const part = 4096

// suffer runs all kinds of requests in both directions while the shared memory is damaged. The connection may
// end or not, but every request and receive completes once, memory that nobody was granted does not change, and
// nothing panics.
func suffer(t *testing.T, harm []damage, how manner) {
	t.Helper()
	// What the peer can access comes first, then the memory of sends, reads and receives: no two of them write
	// to the same place at a time.
	const depth, size, guard = 32, 3 * part, 1 << 15
	a, b := softtest.Connect(t, "shm", 4*depth, 4*guard)
	granted := func(e *softtest.End) hca.MR {
		m := hca.Memory{Bytes: e.Mem[guard : guard+size]}
		if how.mapped {
			m = softtest.FileMemory(t, size)
		}
		mr, err := e.PD.Register(m, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		return mr
	}
	am, bm := granted(a), granted(b)
	posted := map[*softtest.End][2]int{}
	post := func(e *softtest.End, mine, theirs hca.MR, i int) {
		n := uint32(8 << (i % 10))
		wr := hca.SendWR{ID: uint64(i), Local: hca.Segment{Addr: mine.Addr() + part, Len: n, Key: mine.LKey()}, Remote: theirs.Addr(), RKey: theirs.RKey()}
		wr.Op = []hca.Op{hca.OpSend, hca.OpWrite, hca.OpRead, hca.OpFetchAdd, hca.OpWriteImm, hca.OpSendImm}[i%6]
		if wr.Op == hca.OpFetchAdd {
			wr.Local.Len = 8
		}
		p := posted[e]
		if err := e.QP.PostRecv(hca.RecvWR{ID: uint64(i), Local: hca.Segment{Addr: mine.Addr() + 2*part, Len: part, Key: mine.LKey()}}); err == nil {
			p[1]++
		}
		err := error(nil)
		plain, is := e.QP.(hca.PlainPoster)
		switch is = is && how.plain; {
		case is && wr.Op == hca.OpSend:
			err = plain.PostPlainSend(wr.ID, wr.Flags, wr.Local)
		case is && wr.Op == hca.OpWrite:
			err = plain.PostPlainWrite(wr.ID, wr.Flags, wr.Local, wr.Remote, wr.RKey)
		default:
			err = e.QP.PostSend(wr)
		}
		if err == nil {
			p[0]++
		}
		posted[e] = p
	}
	var got [2][2]int
	var wcs [16]hca.WC
	poll := func() {
		for i, e := range []*softtest.End{a, b} {
			got[i][0] += e.SendCQ.Poll(wcs[:])
			got[i][1] += e.RecvCQ.Poll(wcs[:])
		}
	}
	for i := range depth {
		for _, h := range harm {
			if h.behind == i {
				sharedmem.Scribble(a.QP, func(shared []byte) {
					binary.NativeEndian.PutUint64(shared[h.at%(len(shared)-8):], h.value)
				})
			}
		}
		post(a, am, bm, i)
		post(b, bm, am, i+3)
		poll()
	}
	for _, e := range []*softtest.End{a, b} {
		if err := e.QP.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 * depth {
		poll()
	}
	for _, mr := range []hca.MR{am, bm} {
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	}
	for i, e := range []*softtest.End{a, b} {
		if want := posted[e]; got[i] != want {
			t.Errorf("side %d: %v entries of requests and receives, %v were posted", i, got[i], want)
		}
		fresh := make([]byte, len(e.Mem))
		softtest.Fill(fresh)
		if string(e.Mem[:guard]) != string(fresh[:guard]) || string(e.Mem[guard+size:]) != string(fresh[guard+size:]) {
			t.Errorf("side %d: memory was changed that nobody was granted", i)
		}
	}
}

// TestShmTargetedDamage writes dangerous values to every word that matters.
func TestShmTargetedDamage(t *testing.T) {
	for i, at := range sharedmem.ScribbleAt() {
		for j, v := range []uint64{0, 1, 1 << 31, ^uint64(0), 0xFFFF_0000_0000_0003} {
			// Each has its adapters for itself: together they would have more addresses than there are with 32 bits.
			t.Run(fmt.Sprintf("%#x at %#x", v, at), func(t *testing.T) {
				suffer(t, []damage{{3 + i%4, at, v}}, manner{plain: (i+j)&1 != 0, mapped: (i+j)&2 != 0})
			})
			if t.Failed() {
				return
			}
		}
	}
}

// TestShmRandomDamage writes random values to random places.
func TestShmRandomDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(softtest.SeedOf(t), 7))
	places := sharedmem.ScribbleAt()
	for i := range 300 {
		var harm []damage
		for range 1 + rng.IntN(8) {
			d := damage{rng.IntN(30), rng.IntN(1 << 20), rng.Uint64() >> rng.IntN(64)}
			if rng.IntN(2) == 0 {
				d.at = places[rng.IntN(len(places))]
			}
			harm = append(harm, d)
		}
		how := manner{rng.IntN(2) == 0, rng.IntN(2) == 0}
		t.Run(fmt.Sprint(i), func(t *testing.T) { suffer(t, harm, how) })
		if t.Failed() {
			t.Fatalf("%+v, %+v", harm, how)
		}
	}
}

// FuzzShmDamage lets the fuzzer choose: three bytes tell when and roughly where, eight are the value. The
// highest bits of the first byte tell how both sides post.
func FuzzShmDamage(f *testing.F) {
	f.Add([]byte{4, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{9, 1, 2, 255, 255, 255, 255, 255, 255, 255, 255, 12, 0, 40, 3, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{64 + 5, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{128 + 9, 4, 0, 3, 0, 0, 0, 0, 0, 0, 0})
	places := sharedmem.ScribbleAt()
	f.Fuzz(func(t *testing.T, b []byte) {
		var harm []damage
		how := manner{len(b) > 0 && b[0]&64 != 0, len(b) > 0 && b[0]&128 != 0}
		for ; len(b) >= 11 && len(harm) < 16; b = b[11:] {
			at := int(binary.LittleEndian.Uint16(b[1:]))
			if at < len(places) {
				at = places[at]
			} else {
				at *= 8
			}
			harm = append(harm, damage{int(b[0]) % 32, at, binary.LittleEndian.Uint64(b[3:])})
		}
		suffer(t, harm, how)
	})
}
