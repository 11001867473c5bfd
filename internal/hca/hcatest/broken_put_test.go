package hcatest_test

import (
	"slices"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// putter is a connection's poster with a defect of Put.
type putter struct {
	hca.Poster
	put func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool
}

func (p *putter) Put(from []byte, remote uint64, rkey hca.Key) bool {
	return p.put(p.Poster.(hca.Putter), from, remote, rkey)
}

// putting makes a defect of Putter.Put.
func putting(f func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool) *defect {
	return &defect{path: "shm", event: func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if ev.Info != nil {
			info := *ev.Info
			info.Poster, ev.Info = &putter{info.Poster, f}, &info
		}
		tell(ev)
	}}
}

func puts(f func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool) func() *defect {
	return func() *defect { return putting(f) }
}

// putsLater makes a defect that puts when the next request is posted. keep is what it
// keeps of the bytes until then.
func putsLater(keep func([]byte) []byte) *defect {
	var mu sync.Mutex
	var later []func()
	d := putting(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
		mu.Lock()
		defer mu.Unlock()
		from = keep(from)
		later = append(later, func() { p.Put(from, remote, rkey) })
		return true
	})
	d.post = func(qp hca.QP, wr hca.SendWR) error {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range later {
			f()
		}
		later = nil
		return qp.PostSend(wr)
	}
	return d
}

// anyKey makes a defect that puts into each region to which allowed says yes.
func anyKey(allowed func(m hca.MR, remote uint64, n int) bool) *defect {
	var mu sync.Mutex
	var all []hca.MR
	writable := map[hca.MR][]byte{}
	var last []byte
	d := putting(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
		if p.Put(from, remote, rkey) {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		for _, m := range slices.Backward(all) { // the latest one has the memory now
			if at := remote - m.Addr(); at < uint64(m.Len()) && allowed(m, remote, len(from)) {
				copy(writable[m][at:], from)
				return true
			}
		}
		return false
	})
	d.register = func(mem *hca.Memory, _ *hca.Access) { mu.Lock(); last = mem.Bytes; mu.Unlock() }
	d.made = func(m hca.MR) { mu.Lock(); all = append(all, m); writable[m] = last; mu.Unlock() }
	return d
}

var brokenPuts = []broken{
	{"puts nothing", puts(func(hca.Putter, []byte, uint64, hca.Key) bool { return true }), []string{
		"put/bytes are in their place | put: byte", "put/needs neither | put: byte",
	}},
	{"puts all but the last byte", puts(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
		return p.Put(from[:max(len(from), 1)-1], remote, rkey)
	}), []string{"put/bytes are in their place | put: byte"}},
	{"puts a byte too far", puts(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
		return p.Put(from, remote+1, rkey)
	}), []string{"put/bytes are in their place | put: byte"}},
	{"puts later", func() *defect { return putsLater(slices.Clone[[]byte]) }, []string{"put/needs neither | put: byte"}},
	{"takes the bytes to put later", func() *defect { return putsLater(func(b []byte) []byte { return b }) },
		[]string{"put/bytes are in their place | put: byte"}},
	{"counts no put", func() *defect {
		d := putting(hca.Putter.Put)
		d.qpStats = func(s *hca.QPStats) { s.Ops[hca.OpWrite] = hca.OpStats{} }
		return d
	}, []string{"put/bytes are in their place | 0 writes of 0 bytes counted"}},
	{"puts only when nothing is under way", func() *defect {
		var under sync.Map
		d := putting(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
			if _, waits := under.Load("a send"); waits {
				return false
			}
			return p.Put(from, remote, rkey)
		})
		d.post = func(qp hca.QP, wr hca.SendWR) error {
			if wr.Op == hca.OpSend {
				under.Store("a send", nil)
			}
			return qp.PostSend(wr)
		}
		return d
	}, []string{"put/needs neither | nothing was put beside a message"}},
	{"makes a completion of a put", func() *defect {
		return putting(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
			return p.Put(from, remote, rkey) && p.(hca.Poster).PostPlainWrite(0, 0, hca.Segment{}, remote, rkey) == nil
		})
	}, []string{"put/needs neither | unexpected entry"}},
	{"puts without a right", func() *defect {
		return anyKey(func(m hca.MR, remote uint64, n int) bool { return remote == m.Addr() && m.Len() >= n })
	}, []string{"put/does what the key allows | bytes were put without the right to write"}},
	{"puts over the end of a region", func() *defect {
		return anyKey(func(m hca.MR, remote uint64, n int) bool { return remote+uint64(n) > m.Addr()+uint64(m.Len()) })
	}, []string{"put/does what the key allows | bytes were put behind a region"}},
	{"puts over the bounds of a window", func() *defect {
		return anyKey(func(m hca.MR, remote uint64, n int) bool {
			at := remote - m.Addr()
			return at > 0 && at+uint64(n) < uint64(m.Len())
		})
	}, []string{
		"put/does what the key allows | bytes were put before a window",
		"put/does what the key allows | bytes were put behind a window",
		"put/does what the key allows | bytes were put under the key of a window that is gone",
	}},
	{"breaks the connection of a put that it refuses", puts(func(p hca.Putter, from []byte, remote uint64, rkey hca.Key) bool {
		ok := p.Put(from, remote, rkey)
		if !ok {
			_ = p.(hca.Poster).PostSend(hca.SendWR{Op: hca.OpRead, Flags: hca.Suppress, Local: hca.Segment{Len: 1}})
		}
		return ok
	}), []string{"put/does what the key allows | local protection error"}},
	{"puts after the end", func() *defect {
		return anyKey(func(hca.MR, uint64, int) bool { return true })
	}, []string{"put/does nothing without | bytes were put after the end", "put/does nothing without | bytes were put after Close"}},
}
