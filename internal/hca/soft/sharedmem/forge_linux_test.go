package sharedmem_test

import (
	"encoding/binary"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// forge makes b send frames to a, which has a receive of 64 bytes posted and, if read is set, a read of 64
// bytes under way. It reports whether a's connection ends because of that within patience. Everything posted
// completes once, and only what b was granted has changed. With kernel, a can be made to fetch from b's memory,
// which is theirs.
func forge(t *testing.T, patience time.Duration, read, kernel bool, frames func(granted, theirs hca.MR) []sharedmem.Forged) (ended bool) {
	t.Helper()
	if !kernel {
		defer sharedmem.WithoutProcessMemory()()
	}
	const guard, size = 1 << 15, 4096
	a, b := softtest.Connect(t, "shm", 256, 4*guard)
	granted, err := a.PD.Register(hca.Memory{Bytes: a.Mem[guard : guard+size]}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	into := hca.Segment{Addr: granted.Addr() + 64, Len: 64, Key: granted.LKey()}
	if err := a.QP.PostRecv(hca.RecvWR{ID: 1, Local: into}); err != nil {
		t.Fatal(err)
	}
	// The read's target is elsewhere: nothing orders the response and the other frames.
	const sink = guard + size + guard
	sinks, err := a.PD.Register(hca.Memory{Bytes: a.Mem[sink : sink+64]}, hca.LocalWrite)
	if err != nil {
		t.Fatal(err)
	}
	sends := 0
	sharedmem.Forge(b.QP, func() {
		if !read {
			return
		}
		sends = 1
		if err := a.QP.PostSend(hca.SendWR{ID: 2, Op: hca.OpRead, Local: hca.Segment{Addr: sinks.Addr(), Len: 64, Key: sinks.LKey()}, Remote: b.MR.Addr(), RKey: b.MR.RKey()}); err != nil {
			t.Fatal(err)
		}
	}, frames(granted, b.MR)...)
	var sent, received []hca.WC
	var wcs [16]hca.WC
	poll := func(n int) {
		for range n {
			sent = append(sent, wcs[:a.SendCQ.Poll(wcs[:])]...)
			received = append(received, wcs[:a.RecvCQ.Poll(wcs[:])]...)
		}
	}
	poll(100)
	for late := time.Now().Add(patience); ; poll(1) {
		for _, wc := range slices.Concat(sent, received) {
			ended = ended || wc.Status != hca.StatusOK
		}
		if ended || time.Now().After(late) {
			break
		}
		runtime.Gosched()
	}
	for _, e := range []*softtest.End{a, b} {
		if err := e.QP.Close(); err != nil {
			t.Fatal(err)
		}
	}
	poll(10)
	if len(sent) != sends || len(received) != 1 {
		t.Errorf("%d entries of %d requests, %d of one receive", len(sent), sends, len(received))
	}
	fresh := make([]byte, len(a.Mem))
	softtest.Fill(fresh)
	copy(fresh[guard:guard+size], a.Mem[guard:])
	copy(fresh[sink:sink+64], a.Mem[sink:])
	if string(a.Mem) != string(fresh) {
		t.Errorf("memory was changed that nobody was granted")
	}
	return ended
}

// TestShmForgedFrames: a frame that is malformed, or requests what is not granted, ends the connection and does
// nothing else.
func TestShmForgedFrames(t *testing.T) {
	const far = 1 << 40
	for name, c := range map[string]struct {
		read   bool
		frames []sharedmem.Forged // Key and Addr 0 are replaced with those of the grant
	}{
		"no such kind":                 {false, []sharedmem.Forged{{Kind: 77}}},
		"kind 0":                       {false, []sharedmem.Forged{{}}},
		"a message without a head":     {false, []sharedmem.Forged{{Kind: sharedmem.FrSend, Len: 1}}},
		"a message without its end":    {false, []sharedmem.Forged{{Kind: sharedmem.FrSend, Len: 36}, {Kind: sharedmem.FrSend, Len: 36}}},
		"fields cut off":               {false, []sharedmem.Forged{{Kind: sharedmem.FrWrite, Len: 20}}},
		"bytes behind the bulk area":   {false, []sharedmem.Forged{{Kind: sharedmem.FrWrite, Flags: sharedmem.FlLast, N: 4096, Off: 63 << 10, Total: 4096}}},
		"bytes far behind it":          {false, []sharedmem.Forged{{Kind: sharedmem.FrPart, Flags: sharedmem.FlLast, N: 16, Off: 1<<32 - 8, Total: 16}}},
		"more bytes than the message":  {false, []sharedmem.Forged{{Kind: sharedmem.FrWrite, Flags: sharedmem.FlLast, N: 4096, Total: 8}}},
		"an end before the end":        {false, []sharedmem.Forged{{Kind: sharedmem.FrPart, Flags: sharedmem.FlLast, N: 8, Total: 16}}},
		"no end at the end":            {false, []sharedmem.Forged{{Kind: sharedmem.FrPart, N: 16, Total: 16}}},
		"another message inside one":   {false, []sharedmem.Forged{{Kind: sharedmem.FrPart, N: 8, Total: 16}, {Kind: sharedmem.FrSend, Flags: sharedmem.FlLast, Len: 12}}},
		"another key inside a write":   {false, []sharedmem.Forged{{Kind: sharedmem.FrWrite, N: 8, Total: 16}, {Kind: sharedmem.FrWrite, Flags: sharedmem.FlLast, N: 8, Total: 16, Key: 99}}},
		"a write over the end":         {false, []sharedmem.Forged{{Kind: sharedmem.FrWrite, N: 4096, Total: 8192}}},
		"a long write":                 {false, []sharedmem.Forged{{Kind: sharedmem.FrWrite, N: 4096, Total: far}}},
		"a small write over the end":   {false, []sharedmem.Forged{{Kind: sharedmem.FrWriteHere, Flags: sharedmem.FlLast | sharedmem.FlImm, N: 8, Total: far, Len: 56}}},
		"a small write of two lengths": {false, []sharedmem.Forged{{Kind: sharedmem.FrWriteHere, Flags: sharedmem.FlLast | sharedmem.FlImm, N: 64, Total: 64, Len: 56}}},
		"a small write without end":    {false, []sharedmem.Forged{{Kind: sharedmem.FrWriteHere, N: 8, Total: 8, Len: 56}}},
		"bytes that nobody can write":  {false, []sharedmem.Forged{{Kind: sharedmem.FrImm, Flags: sharedmem.FlLast | sharedmem.FlImm, Total: 1<<31 + 1}}},
		"a read over the end":          {false, []sharedmem.Forged{{Kind: sharedmem.FrRead, Total: 8192}}},
		"a read of everything":         {false, []sharedmem.Forged{{Kind: sharedmem.FrRead, Total: ^uint64(0)}}},
		"an atomic beside a word":      {false, []sharedmem.Forged{{Kind: sharedmem.FrAtomic, Addr: 1}}},
		"a key that is none":           {false, []sharedmem.Forged{{Kind: sharedmem.FrAtomic, Key: 12345}}},
		"a message too long":           {false, []sharedmem.Forged{{Kind: sharedmem.FrPart, N: 65, Total: 65, Flags: sharedmem.FlLast}}},
		"a long message":               {false, []sharedmem.Forged{{Kind: sharedmem.FrPart, N: 64, Total: far}}},
		"to be fetched from nowhere":   {false, []sharedmem.Forged{{Kind: sharedmem.FrRendezvous, Flags: sharedmem.FlLast, N: 16, Total: 64}}},
		"half a description":           {false, []sharedmem.Forged{{Kind: sharedmem.FrRendezvous, Flags: sharedmem.FlLast, N: 17, Total: 64}}},
		"a long description":           {false, []sharedmem.Forged{{Kind: sharedmem.FrRendezvous, Flags: sharedmem.FlLast, N: 17 * 16, Total: 64}}},
		"a key that cannot be revoked": {false, []sharedmem.Forged{{Kind: sharedmem.FrSend, Flags: sharedmem.FlLast | sharedmem.FlInvalidate, Len: 12}}},
		"an answer too long":           {true, []sharedmem.Forged{{Kind: sharedmem.FrData, Flags: sharedmem.FlLast, N: 4096, Answer: true}}},
		"an answer too short":          {true, []sharedmem.Forged{{Kind: sharedmem.FrData, Flags: sharedmem.FlLast, N: 8, Answer: true}}},
		"an answer of nothing":         {true, []sharedmem.Forged{{Kind: sharedmem.FrData, Answer: true}}},
		"an answer from behind":        {true, []sharedmem.Forged{{Kind: sharedmem.FrData, Flags: sharedmem.FlLast, N: 64, Off: 64<<10 - 1, Answer: true}}},
		"an answer of another kind":    {true, []sharedmem.Forged{{Kind: sharedmem.FrValue, Flags: sharedmem.FlLast, Answer: true}}},
		"no answer at all":             {true, []sharedmem.Forged{{Kind: sharedmem.FrRead, Answer: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			if !forge(t, 30*time.Second, c.read, false, func(granted, _ hca.MR) []sharedmem.Forged {
				list := append([]sharedmem.Forged(nil), c.frames...)
				for i := range list {
					if list[i].Key == 0 {
						list[i].Key = uint32(granted.RKey())
					}
					list[i].Addr += granted.Addr()
				}
				return list
			}) {
				t.Error("the connection goes on")
			}
		})
	}
}

// TestShmForgedLists: a message that b describes is fetched if b may send that memory; otherwise the connection
// ends.
func TestShmForgedLists(t *testing.T) {
	const most = 1<<32 - 1
	for name, c := range map[string]struct {
		total uint64
		list  []hca.Segment // Key 0 is replaced with b's; Addr counts from the start of b's memory
		good  bool
	}{
		"as it should be":           {64, []hca.Segment{{Addr: 8, Len: 24}, {Addr: 0, Len: 40}}, true},
		"with nothing between":      {64, []hca.Segment{{Len: 24}, {}, {Addr: 99, Len: 40}}, true},
		"of nothing":                {0, []hca.Segment{{}}, false},
		"shorter than the message":  {64, []hca.Segment{{Len: 32}}, false},
		"longer than the message":   {32, []hca.Segment{{Len: 64}}, false},
		"a sum that would wrap":     {62, []hca.Segment{{Len: most}, {Len: 63}}, false},
		"longer than the receive":   {65, []hca.Segment{{Len: 65}}, false},
		"of another key":            {64, []hca.Segment{{Len: 64, Key: 12345}}, false},
		"of another key behind one": {64, []hca.Segment{{Len: 32}, {Len: 32, Key: 12345}}, false},
		"from behind the region":    {64, []hca.Segment{{Addr: 4 << 15, Len: 64}}, false},
		"over its end":              {64, []hca.Segment{{Addr: 4<<15 - 63, Len: 64}}, false},
		"from before it":            {64, []hca.Segment{{Addr: 1<<64 - 1, Len: 64}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			patience := 30 * time.Second
			if c.good {
				patience = 0
			}
			ended := forge(t, patience, false, true, func(_, theirs hca.MR) []sharedmem.Forged {
				list := append([]hca.Segment(nil), c.list...)
				for i := range list {
					list[i].Addr += theirs.Addr()
					if list[i].Key == 0 {
						list[i].Key = theirs.LKey()
					}
				}
				return []sharedmem.Forged{{Kind: sharedmem.FrRendezvous, Flags: sharedmem.FlLast, N: uint32(16 * len(list)), Total: c.total, List: list}}
			})
			if ended == c.good {
				t.Errorf("the connection has ended: %v", ended)
			}
		})
	}
}

// TestShmForgedKeyZero: no key is 0, and an empty entry of a cache is none.
func TestShmForgedKeyZero(t *testing.T) {
	if !forge(t, 30*time.Second, false, true, func(_, theirs hca.MR) []sharedmem.Forged {
		return []sharedmem.Forged{{Kind: sharedmem.FrRendezvous, Flags: sharedmem.FlLast, N: 16, Total: 64, List: []hca.Segment{{Addr: theirs.Addr(), Len: 64}}}}
	}) {
		t.Error("the connection goes on")
	}
}

// FuzzShmFrames lets the fuzzer make the frames, each of 28 bytes: kind, flags, length, whether it is a
// response, n, offset, total, address relative to the grant's, and the key if it is not the grant's. In the
// response byte, other bits tell whether the kernel copies, and whether there is a list of one or two segments
// of the peer's memory, which the word before the key divides.
func FuzzShmFrames(f *testing.F) {
	for kind := byte(1); kind < 12; kind++ {
		one := append([]byte{kind, sharedmem.FlLast, 0, 0}, make([]byte, 24)...)
		one[4], one[12] = 8, 8
		f.Add(append(append([]byte(nil), one...), one...), kind%2 == 0)
	}
	for cut := range byte(3) {
		one := append([]byte{sharedmem.FrRendezvous, sharedmem.FlLast, 0, 2 | 4 | cut&2<<2}, make([]byte, 24)...)
		one[4], one[12], one[20] = 16+cut&2*8, 64, 8*cut
		f.Add(one, false)
	}
	f.Fuzz(func(t *testing.T, b []byte, read bool) {
		forge(t, 0, read, len(b) > 3 && b[3]&2 != 0, func(granted, theirs hca.MR) (list []sharedmem.Forged) {
			for ; len(b) >= 28 && len(list) < 16; b = b[28:] {
				u := binary.LittleEndian.Uint32
				x := sharedmem.Forged{
					Kind: b[0], Flags: b[1], Len: int(b[2]), Answer: b[3]&1 != 0, Word: uint32(granted.RKey()),
					N: u(b[4:]), Off: u(b[8:]), Total: uint64(u(b[12:])) | uint64(b[3]>>4)<<60, Addr: granted.Addr() + uint64(int64(int32(u(b[16:])))),
					Key: uint32(granted.RKey()), A: uint64(u(b[20:])), B: 1,
				}
				if k := u(b[24:]); k != 0 {
					x.Key = k
				}
				if b[3]&4 != 0 {
					whole := hca.Segment{Addr: theirs.Addr() + uint64(int64(int32(u(b[16:])))), Len: u(b[12:]), Key: theirs.LKey()}
					x.List = []hca.Segment{whole}
					if first := u(b[20:]); b[3]&8 != 0 {
						x.List = []hca.Segment{whole, whole}
						x.List[0].Len, x.List[1].Len = first, whole.Len-first
						if k := u(b[24:]); k != 0 {
							x.List[1].Key = hca.Key(k)
						}
					}
				}
				list = append(list, x)
			}
			return list
		})
	})
}
