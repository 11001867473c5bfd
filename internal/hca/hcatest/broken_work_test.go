package hcatest_test

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// posts makes a defect that changes requests. Their entries look as if
// nothing had happened.
func posts(f func(*hca.SendWR)) func() *defect {
	return func() *defect {
		var changed sync.Map // number -> requested value
		return &defect{
			post: func(qp hca.QP, wr hca.SendWR) error {
				asked := wr
				if f(&wr); wr.Op != asked.Op || size(wr) != size(asked) {
					changed.Store(wr.ID, asked)
				}
				return qp.PostSend(wr)
			},
			entries: func() func([]hca.WC) []hca.WC {
				return func(wcs []hca.WC) []hca.WC {
					for i := range wcs {
						if wcs[i].Op.IsRecv() {
							continue
						}
						if wr, ok := changed.LoadAndDelete(wcs[i].ID); ok {
							wcs[i].Op, wcs[i].Len = wr.(hca.SendWR).Op, size(wr.(hca.SendWR))
						}
					}
					return wcs
				}
			},
		}
	}
}

func size(wr hca.SendWR) uint64 {
	n := uint64(wr.Local.Len)
	for _, s := range wr.More {
		n += uint64(s.Len)
	}
	return n
}

// invalidates makes a defect that sends but does not revoke, and says it did.
func invalidates() *defect {
	keys := make(chan hca.Key, 100)
	d := posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpSendInvalidate {
			keys <- wr.RKey
			wr.Op = hca.OpSend
		}
	})()
	sends := d.entries
	d.entries = func() func([]hca.WC) []hca.WC {
		fix := sends()
		return func(wcs []hca.WC) []hca.WC {
			for i := range wcs {
				if wcs[i].Op == hca.OpRecv && wcs[i].Status == hca.StatusOK {
					select {
					case wcs[i].RKey = <-keys:
						wcs[i].Op = hca.OpRecvInvalidate
					default:
					}
				}
			}
			return fix(wcs)
		}
	}
	return d
}

// swallows makes a defect that drops requests which are refused.
func swallows(code hca.Code) func() *defect {
	return func() *defect {
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error {
			if err := qp.PostSend(wr); !errors.Is(err, code) {
				return err
			}
			return nil
		}}
	}
}

var brokenWork = []broken{
	{"takes reads that were not agreed", swallows(hca.Unsupported), []string{"limits/a side made for no reads"}},
	{"shows suppressed successes", posts(func(wr *hca.SendWR) { wr.Flags &^= hca.Suppress }),
		[]string{"suppress/thousands", "suppress/mixes", "suppress/holds for every"}},
	{"takes the memory of a suppressed write late", func() *defect {
		var mu sync.Mutex
		late := map[hca.QP]hca.SendWR{}
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error {
			mu.Lock()
			defer mu.Unlock()
			old, is := late[qp]
			delete(late, qp)
			if wr.Flags&hca.Suppress != 0 && wr.Op == hca.OpWrite && wr.Local.Len >= 1<<16 {
				late[qp] = wr
			} else if is && wr.Local.Len == 0 {
				late[qp] = old
				return qp.PostSend(wr)
			} else if err := qp.PostSend(wr); err != nil {
				return err
			}
			if is {
				return qp.PostSend(old)
			}
			return nil
		}}
	}, []string{"suppress/frees its memory"}},
	{"suppresses everything", posts(func(wr *hca.SendWR) { wr.Flags |= hca.Suppress }),
		[]string{"suppress/mixes", echoes}},
	{"quiets nobody", posts(func(wr *hca.SendWR) { wr.Flags &^= hca.Quiet }), []string{"quiet/an entry wakes nobody"}},
	{"takes requests before it is connected", swallows(hca.State), []string{"states/before connecting"}},
	{"takes more than the queue holds", swallows(hca.QueueFull), []string{"queue depth/a send queue"}},
	{"refuses some requests though slots are free", func() *defect {
		var n atomic.Int64
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error {
			if n.Add(1)%200 == 0 {
				return hca.NewError(hca.QueueFull, "post", "", "")
			}
			return qp.PostSend(wr)
		}}
	}, []string{"one in flight/a server that polls", "one in flight/a server that parks"}},
	{"takes what it does not know", swallows(hca.Invalid), []string{"attributes/what is no operation", "limits/more segments"}},
	{"takes what is too long", swallows(hca.Length), []string{"limits/a message over"}},
	{"writes a byte too few", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpWrite && wr.Local.Len > 1 {
			wr.Local.Len--
		}
	}), []string{"rdma/a write of every length", "order/what was written"}},
	{"writes a byte too far", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpWrite && wr.Local.Len > 0 {
			wr.Remote++
		}
	}), []string{"rdma/a write of every length", "windows/a bound window"}},
	{"reads from somewhere else", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpRead && wr.Local.Len > 0 {
			wr.Remote--
		}
	}), []string{"rdma/a read of every length", "order/reads complete"}},
	{"forgets later segments", posts(func(wr *hca.SendWR) { wr.More = nil }),
		[]string{"send/gathers", "rdma/writes gather", "zero length/local segments"}},
	{"adds one too many", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpFetchAdd {
			wr.Operand++
		}
	}), []string{"atomics/fetch-add", "atomics/are atomic"}},
	{"compares nothing", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpCompareSwap {
			wr.Op, wr.Operand = hca.OpFetchAdd, wr.Operand-wr.Compare
		}
	}), []string{"atomics/compare-swap"}},
	{"unbinds nothing", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpBind && wr.Bind.Len == 0 {
			wr.Op = hca.OpWrite
		}
	}), []string{"windows/unbinding", "windows/a region cannot be closed"}},
	{"binds with every right", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpBind && wr.Bind.Len > 0 {
			wr.Bind.Access |= hca.RemoteRead | hca.RemoteWrite
		}
	}), []string{"windows/what the window does not grant"}},
	{"binds a byte too few", posts(func(wr *hca.SendWR) {
		if wr.Op == hca.OpBind && wr.Bind.Len > 0 {
			wr.Bind.Len--
		}
	}), []string{"windows/a bound window"}},
	{"invalidates nothing", invalidates, []string{"send with invalidate/revokes", "send with invalidate/of any other key"}},
	{"tells too much of a batch", func() *defect {
		return &defect{posts: func(qp hca.QP, wrs []hca.SendWR) (int, error) {
			_, err := qp.PostSends(wrs)
			return len(wrs), err
		}}
	}, []string{"batches/stop at the first", "batches/fill the queue"}},
	{"counts nothing", func() *defect {
		return &defect{counts: func(int, int) (int, int) { return 0, 0 }}
	}, []string{"states/work under way", "established/receives posted before"}},
	{"never counts down", func() *defect {
		return &defect{counts: func(s, r int) (int, int) { return s + 1, r }}
	}, []string{"close/of an unconnected", "send/of every length"}},
}
