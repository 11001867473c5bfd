package hcatest_test

import (
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// overtakes makes a defect that carries a read or atomic out a little later, and so
// behind the fenced request that was posted after it. Both entries come in order all the
// same.
func overtakes(late func(hca.Op) bool) *defect {
	var mu sync.Mutex
	reads := map[hca.QP]hca.SendWR{}  // not posted yet
	fenced := map[uint64]hca.SendWR{} // by the number of the read
	return &defect{
		post: func(qp hca.QP, wr hca.SendWR) error {
			mu.Lock()
			defer mu.Unlock()
			read, is := reads[qp]
			switch {
			case !is && late(wr.Op) && wr.Flags&hca.Fence == 0:
				reads[qp] = wr
				time.AfterFunc(10*time.Millisecond, func() {
					mu.Lock()
					defer mu.Unlock()
					if reads[qp].ID == wr.ID {
						delete(reads, qp)
						_ = qp.PostSend(wr)
					}
				})
				return nil
			case is && wr.Flags&hca.Fence != 0:
				fenced[read.ID] = wr
				wr.Flags |= hca.Suppress
			case is:
				delete(reads, qp)
				if err := qp.PostSend(read); err != nil {
					return err
				}
			}
			return qp.PostSend(wr)
		},
		entries: func() func([]hca.WC) []hca.WC {
			return func(wcs []hca.WC) (out []hca.WC) {
				mu.Lock()
				defer mu.Unlock()
				for _, wc := range wcs {
					out = append(out, wc)
					if wr, ok := fenced[wc.ID]; ok && late(wc.Op) {
						delete(fenced, wc.ID)
						out = append(out, hca.WC{ID: wr.ID, Owner: wc.Owner, Op: wr.Op, Len: size(wr), Flags: wr.Flags})
					}
				}
				return out
			}
		},
	}
}

var brokenFences = []broken{
	{"carries a fenced request out before a read", func() *defect {
		return overtakes(func(op hca.Op) bool { return op == hca.OpRead })
	}, []string{
		"fence/a fenced request starts | read before the fence: byte 0 was changed",
		"fence/a fenced send shows | read before the fence: byte 0 was changed",
		"fence/a fenced request takes | passed on: byte 0 was changed",
	}},
	{"carries a fenced request out before an atomic", func() *defect {
		return overtakes(func(op hca.Op) bool { return op == hca.OpFetchAdd })
	}, []string{"fence/a fenced request starts | which was written behind it"}},
	{"waits behind a fence for a read that is not there", func() *defect {
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error {
			if wr.Flags&hca.Fence != 0 {
				if requests, _ := qp.Outstanding(); requests == 0 {
					return nil
				}
			}
			return qp.PostSend(wr)
		}}
	}, []string{"fence/without reads | write: no entry"}},
	{"forgets that a request was fenced", edit(func(wc *hca.WC) { wc.Flags &^= hca.Fence }),
		[]string{"fence/without reads | flags 0x0, want", "fence/a fenced request starts | flags 0x0, want"}},
}
