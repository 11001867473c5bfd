package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var keyCases = []Case{
	{"keys", "a key that was never given is refused", wrongKeys},
	{"keys", "a freed region's key is refused", freedKey},
	{"keys", "a key of another domain is refused", foreignKey},
	{"keys", "guessing around a key finds nothing", guessedKeys},
	{"keys", "a key without remote rights is refused like one that was never given", localKeys},
}

func wrongKeys(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		for name, wrong := range map[string]func(hca.Key) hca.Key{
			"no key":              func(hca.Key) hca.Key { return 0 },
			"all ones":            func(hca.Key) hca.Key { return 0xFFFFFFFF },
			"one bit of the key":  func(k hca.Key) hca.Key { return k ^ 1 },
			"one bit of the slot": func(k hca.Key) hca.Key { return k ^ 1<<8 },
			"the highest bit":     func(k hca.Key) hca.Key { return k ^ 1<<31 },
			"bytes reversed":      func(k hca.Key) hca.Key { return k<<24 | k>>24 | k<<8&0xFF0000 | k>>8&0xFF00 },
		} {
			c, far, local := f.attempt(i, f.b.all())
			if far == nil {
				break
			}
			wr := a.wr(far, 64, local)
			if wr.RKey == wrong(wr.RKey) {
				c.close()
				continue // a palindrome
			}
			wr.RKey = wrong(wr.RKey)
			c.refused(a.name+" with a wrong key: "+name, c.a, wr)
			untouched(a.name+": "+name, far, local)
			t.must("MR.Close", far.mr.Close())
			t.must("MR.Close", local.mr.Close())
		}
	}
}

func freedKey(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		c, far, local := f.attempt(i, f.b.all())
		if far == nil {
			continue
		}
		wr := a.wr(far, 64, local)
		t.must("MR.Close", far.mr.Close())
		c.refused(a.name+" on a freed region", c.a, wr)
		untouched(a.name+" on a freed region", far, local)
	}
}

func foreignKey(t *env) {
	f := t.fixture(hca.Options{})
	other := f.b.domain()
	for i, a := range accesses {
		c, far, local := f.attempt(i, f.b.all())
		if far == nil {
			continue
		}
		foreign := f.b.regionIn(other, 8192, f.b.all())
		paint(foreign.b, 0x44)
		c.refused(a.name+" on a region of another domain", c.a, a.wr(foreign, 64, local))
		untouched(a.name+" on a region of another domain", foreign, local)
		// On a queue pair of that domain the key is good.
		c2 := f.pair(setup{}, setup{pd: other})
		if a.caps == hca.CapWriteImm {
			c2.b.receive()
		}
		c2.a.do(a.wr(foreign, 64, local))
		c2.close()
		t.must("MR.Close", far.mr.Close())
	}
}

func guessedKeys(t *env) {
	f := t.fixture(hca.Options{})
	// Many registrations, so that neighbouring keys would be valid.
	keys := map[hca.Key]bool{}
	var regions []*region
	for range 100 {
		r := f.b.region(64, f.b.all())
		keys[r.mr.RKey()] = true
		regions = append(regions, r)
	}
	for i := range 12 {
		c := f.pair()
		r := regions[i*8]
		wr := write(r, 0, c.a.mail.seg(0, 8))
		for step := hca.Key(1); keys[wr.RKey] || wr.RKey == c.b.mail.mr.RKey(); step++ {
			wr.RKey = r.mr.RKey() + step
		}
		fill(c.a.mail.b, 1)
		c.refused("a guessed key", c.a, wr)
	}
	for _, r := range regions {
		r.still("guessed keys", 0, 64, 0)
		r.guards("guessed keys")
	}
}

// localKeys: guessing the key of memory without remote rights reveals nothing, whatever
// the address and the kind of access.
func localKeys(t *env) {
	f := t.fixture(hca.Options{})
	other := f.b.domain()
	for i, a := range accesses {
		if a.right == hca.RemoteRead && t.h.LooseReads {
			t.Logf("not checked: %s: this device does not look for the right", a.name)
			continue
		}
		unknown := ""
		for _, guess := range []struct {
			what  string
			wrong hca.Key // bits of the key
			off   int     // from where it would be right
			alien bool
		}{
			{what: "a key that was never given", wrong: 0x5A5A5A5A},
			{what: "the key of local memory"},
			{what: "the key of local memory, behind its end", off: 1 << 20},
			{what: "the key of local memory of another domain", alien: true},
		} {
			c, far, local := f.attempt(i, f.b.all()&^hca.RemoteAll)
			if far == nil {
				break
			}
			if guess.alien {
				far = f.b.regionIn(other, 8192, f.b.all()&^hca.RemoteAll)
				paint(far.b, 0x44)
			}
			wr := a.wr(far, 64, local)
			wr.RKey = far.mr.LKey() ^ guess.wrong
			wr.Remote += uint64(guess.off)
			what := a.name + " with " + guess.what
			told := c.refused(what, c.a, wr)
			untouched(what, far, local)
			switch {
			case guess.wrong != 0:
				unknown = told
			case told != unknown:
				t.Errorf("%s: the peer was told %q, and %q for a key that was never given", what, told, unknown)
			}
		}
	}
}
