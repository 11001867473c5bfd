package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var registerCases = []Case{
	{"regions", "have an address, a length and keys", regionKeys},
	{"regions", "have no remote key without a remote right", regionRemoteKey},
	{"regions", "nothing and unknown rights are invalid", regionInvalid},
	{"regions", "may lie over the same memory with other rights", regionOverlap},
	{"regions", "may begin and end at any byte", regionUnaligned},
	{"regions", "are refused what their pages do not allow", regionPages},
	{"regions", "a freed key stays dead when the memory is registered again", regionReborn},
}

func regionKeys(t *env) {
	s := t.side("adapter", hca.Options{})
	seen := map[hca.Key]bool{}
	for range 64 {
		r := s.region(100, s.all())
		if r.mr.Len() != 100 {
			t.Errorf("length %d, want 100", r.mr.Len())
		}
		if r.mr.LKey() == 0 || r.mr.RKey() == 0 {
			t.Errorf("keys %#x and %#x: want both", r.mr.LKey(), r.mr.RKey())
		}
		if seen[r.mr.RKey()] {
			t.Errorf("remote key %#x is there twice", r.mr.RKey())
		}
		seen[r.mr.RKey()] = true
		if end := r.mr.Addr() + 100; end < r.mr.Addr() {
			t.Errorf("address %#x wraps", r.mr.Addr())
		}
	}
}

func regionRemoteKey(t *env) {
	s := t.side("adapter", hca.Options{})
	for _, a := range []hca.Access{0, hca.LocalRead, hca.LocalRead | hca.LocalWrite} {
		if r := s.region(64, a); r.mr.RKey() != 0 {
			t.Errorf("%v: remote key %#x, want none", a, r.mr.RKey())
		}
	}
	for _, a := range []hca.Access{hca.RemoteRead, hca.RemoteWrite} {
		if r := s.region(64, a|hca.LocalRead|hca.LocalWrite); r.mr.RKey() == 0 {
			t.Errorf("%v: no remote key", a)
		}
	}
}

func regionInvalid(t *env) {
	s := t.side("adapter", hca.Options{})
	_, err := s.pd.Register(hca.Memory{}, hca.LocalRead)
	t.code("no bytes", err, hca.Invalid)
	_, err = s.pd.Register(hca.Memory{Bytes: make([]byte, 0, 8)}, hca.LocalRead)
	t.code("no bytes of eight", err, hca.Invalid)
	_, err = s.pd.Register(hca.Memory{Bytes: make([]byte, 8)}, hca.LocalRead|0x80)
	t.code("an unknown right", err, hca.Invalid)
	t.must("PD.Close: nothing was registered", s.pd.Close())
}

func regionOverlap(t *env) {
	c := t.pair()
	whole := c.b.region(64, hca.LocalRead|hca.LocalWrite|hca.RemoteWrite)
	mr, err := c.b.pd.Register(hca.Memory{Bytes: whole.b[16:48]}, hca.LocalRead|hca.LocalWrite|hca.RemoteRead)
	t.must("Register", err)
	view := &region{env: t, name: c.b.name, mr: mr, b: whole.b[16:48]}
	src := c.a.region(64, hca.LocalRead|c.a.sink())
	fill(src.b, 5)
	c.a.do(write(whole, 0, src.seg(0, 64)))
	c.settle(c.a)
	paint(src.b, 0)
	c.a.do(read(view, 0, src.seg(0, 32)))
	if string(src.b[:32]) != string(whole.b[16:48]) {
		t.Errorf("the second region does not show the first one's bytes")
	}
	if !t.h.LooseReads {
		c.refused("a read of the write-only region", c.a, read(whole, 0, src.seg(0, 8)))
	}
	// Freeing one region leaves the other one valid.
	t.must("MR.Close", whole.mr.Close())
	c = c.fixture.pair()
	c.a.do(read(view, 0, src.seg(0, 32)))
	c.refused("a write to the read-only region", c.a, write(view, 0, src.seg(0, 8)))
	whole.guards("overlap")
}

func regionUnaligned(t *env) {
	c := t.pair()
	block := c.b.region(256, c.b.all())
	src := c.a.region(256, hca.LocalRead|c.a.sink())
	for _, cut := range [][2]int{{1, 2}, {3, 64}, {7, 200}, {63, 66}} {
		mr, err := c.b.pd.Register(hca.Memory{Bytes: block.b[cut[0]:cut[1]]}, c.b.all())
		t.must("Register", err)
		part := &region{env: t, name: c.b.name, mr: mr, b: block.b[cut[0]:cut[1]]}
		n := cut[1] - cut[0]
		paint(block.b, 0)
		fill(src.b, n)
		c.a.do(write(part, 0, src.seg(0, n)))
		c.settle(c.a)
		part.holds("written", 0, n, n)
		block.still("before", 0, cut[0], 0)
		block.still("behind", cut[1], len(block.b)-cut[1], 0)
		t.must("MR.Close", mr.Close())
	}
}

func regionReborn(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	old := c.b.region(64, c.b.all())
	dead := write(old, 0, c.a.mail.seg(0, 8))
	t.must("MR.Close", old.mr.Close())
	mr, err := c.b.pd.Register(hca.Memory{Bytes: old.b}, c.b.all())
	t.must("Register", err)
	if mr.RKey() == dead.RKey {
		t.Fatalf("the key %#x is in use again at once", dead.RKey)
	}
	c.refused("a write with the freed key", c.a, dead)
	old.still("a write with the freed key", 0, 64, 0)
}
