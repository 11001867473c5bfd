package hcatest_test

import (
	"slices"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

var brokenBindings = []broken{
	{"takes a bind that fails for a success", edit(func(wc *hca.WC) {
		if wc.Op == hca.OpBind && wc.Status == hca.StatusBindFailed {
			wc.Status = hca.StatusOK
		}
	}), []string{"binding/what may not be bound | status success"}},
	{"takes every failure of a bind for a flush", edit(func(wc *hca.WC) {
		if wc.Op == hca.OpBind && wc.Status == hca.StatusBindFailed {
			wc.Status = hca.StatusFlushed
		}
	}), []string{"binding/what may not be bound | status flushed"}},
	{"binds what it can of a range", posts(func(wr *hca.SendWR) {
		if b := wr.Bind; b != nil && b.Len > 0 && b.MR != nil {
			first, last := max(b.Addr, b.MR.Addr()), b.MR.Addr()+uint64(b.MR.Len())
			if end := b.Addr + b.Len; end >= b.Addr {
				last = min(last, end)
			}
			b.Addr, b.Len = first, last-first
		}
	}), []string{"binding/what may not be bound | one byte before the region: status success"}},
	{"leaves the bind before one that fails", func() *defect {
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error {
			if b := wr.Bind; b != nil && b.Len > 0 && b.MR != nil && b.Addr+b.Len > b.MR.Addr()+uint64(b.MR.Len()) {
				good := *b
				good.Len = 1
				if err := qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: &good, Flags: hca.Suppress}); err != nil {
					return err
				}
				defer func() { b.Key = good.Key }()
			}
			return qp.PostSend(wr)
		}}
	}, []string{"binding/what may not be bound | one byte over the region's end: a key whose bind failed"}},
	{"takes binds of nothing and of unknown rights", swallows(hca.Invalid), []string{
		"binding/without a window | no window: succeeded", "binding/without a window | no region: succeeded",
		"binding/without a window | unknown rights: succeeded",
	}},
	{"binds without the rights that it does not know", posts(func(wr *hca.SendWR) {
		if wr.Bind != nil {
			wr.Bind.Access &= hca.AllAccess
		}
	}), []string{"binding/without a window | unknown rights: succeeded"}},
	{"says that a bind behind the end was done", edit(func(wc *hca.WC) {
		if wc.Op == hca.OpBind && wc.Status == hca.StatusFlushed {
			wc.Status = hca.StatusOK
		}
	}), []string{"binding/behind the end | bind 1: status success"}},
	{"keeps a region for a bind that was flushed", func() *defect {
		var mu sync.Mutex
		var bound []hca.MR
		return &defect{
			post: func(qp hca.QP, wr hca.SendWR) error {
				if wr.Bind != nil {
					mu.Lock()
					bound = append(bound, wr.Bind.MR)
					mu.Unlock()
				}
				return qp.PostSend(wr)
			},
			mrClose: func(m hca.MR) error {
				mu.Lock()
				defer mu.Unlock()
				if slices.Contains(bound, m) {
					return hca.NewError(hca.InUse, "close", "region", "")
				}
				return m.Close()
			},
		}
	}, []string{"binding/behind the end | MR.Close: no window was bound"}},
	{"grants a bind that was flushed", func() *defect {
		// The key of the region itself serves as that of the window.
		return &defect{
			post: func(qp hca.QP, wr hca.SendWR) error {
				err := qp.PostSend(wr)
				if requests, _ := qp.Outstanding(); wr.Bind != nil && requests == 0 {
					wr.Bind.Key = wr.Bind.MR.RKey()
				}
				return err
			},
			mrClose: func(hca.MR) error { return nil },
		}
	}, []string{"binding/behind the end | a key whose bind was flushed"}},
}
