package hcatest_test

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// each makes a defect that looks at single entries.
func each(f func(hca.WC) []hca.WC) func() *defect {
	return func() *defect {
		return &defect{entries: func() func([]hca.WC) []hca.WC {
			return func(wcs []hca.WC) (out []hca.WC) {
				for _, wc := range wcs {
					out = append(out, f(wc)...)
				}
				return out
			}
		}}
	}
}

// edit makes a defect that changes entries.
func edit(f func(*hca.WC)) func() *defect {
	return each(func(wc hca.WC) []hca.WC { f(&wc); return []hca.WC{wc} })
}

// every gives true on each nth call.
func every(n int64) func() bool {
	var calls atomic.Int64
	return func() bool { return calls.Add(1)%n == 0 }
}

const (
	echoes     = "entries/carry number, owner"
	accounting = "accounting/every request completes exactly once, whenever"
	mixed      = "order/entries of mixed operations"

	behindFailures = "failed requests/nothing behind "
)

func dropEvery(n int64, f func(hca.WC) bool) func() *defect {
	return func() *defect {
		hit := every(n)
		return each(func(wc hca.WC) []hca.WC {
			if f(wc) && hit() {
				return nil
			}
			return []hca.WC{wc}
		})()
	}
}

func anyEntry(hca.WC) bool { return true }

var brokenEntries = []broken{
	{"drops an entry", dropEvery(20, anyEntry), []string{echoes, mixed, accounting}},
	{"drops a flushed entry", dropEvery(1, func(wc hca.WC) bool { return wc.Status == hca.StatusFlushed }),
		[]string{"end/what was posted comes back", "close/of an unconnected", "states/after the end"}},
	{"succeeds behind a failure", edit(func(wc *hca.WC) {
		if wc.Status == hca.StatusFlushed && wc.Op == hca.OpWrite {
			wc.Status, wc.Len = hca.StatusOK, 8
		}
	}), []string{behindFailures + "a bad segment", behindFailures + "a request whose memory", behindFailures + "a bind"}},
	{"shows no suppressed request that is flushed", dropEvery(1, func(wc hca.WC) bool {
		return wc.Status == hca.StatusFlushed && wc.Flags&hca.Suppress != 0
	}), []string{behindFailures + "a bad segment", behindFailures + "a request whose memory", behindFailures + "a bind"}},
	{"gives an entry twice", func() *defect {
		hit := every(20)
		return each(func(wc hca.WC) []hca.WC {
			if hit() {
				return []hca.WC{wc, wc}
			}
			return []hca.WC{wc}
		})()
	}, []string{echoes, mixed, accounting, "entries/polled in batches"}},
	{"swaps two entries", func() *defect {
		return &defect{entries: func() func([]hca.WC) []hca.WC {
			var kept []hca.WC
			n := 0
			return func(wcs []hca.WC) []hca.WC {
				if n += len(wcs); n%10 == 9 && len(wcs) > 0 && kept == nil {
					kept = append(kept, wcs...)
					return nil
				}
				out := append(append([]hca.WC(nil), wcs...), kept...)
				kept = nil
				return out
			}
		}}
	}, []string{mixed, "order/reads complete in order"}},
	{"holds flushed entries back", func() *defect {
		return &defect{entries: func() func([]hca.WC) []hca.WC {
			var kept []hca.WC
			idle := 0
			return func(wcs []hca.WC) (out []hca.WC) {
				for _, wc := range wcs {
					if idle = 0; wc.Status == hca.StatusFlushed {
						kept = append(kept, wc)
					} else {
						out = append(out, wc)
					}
				}
				if len(wcs) > 0 {
					return out
				}
				if idle++; idle > 1 {
					out, kept = kept, nil
				}
				return out
			}
		}}
	}, []string{"end/all flushed entries can be polled"}},
	{"forgets the number's high half", edit(func(wc *hca.WC) { wc.ID &= 0xFFFFFFFF }), []string{echoes}},
	{"forgets the owner", edit(func(wc *hca.WC) { wc.Owner = nil }), []string{echoes, "entries/of several queue pairs"}},
	{"forgets the flags", edit(func(wc *hca.WC) { wc.Flags = 0 }), []string{echoes}},
	{"counts a byte too many", edit(func(wc *hca.WC) { wc.Len++ }), []string{echoes, "send/of every length"}},
	{"takes reads for writes", edit(func(wc *hca.WC) {
		if wc.Op == hca.OpRead {
			wc.Op = hca.OpWrite
		}
	}), []string{echoes}},
	{"calls errors quiet", edit(func(wc *hca.WC) {
		if wc.Status != hca.StatusOK {
			wc.Flags |= hca.Quiet
		}
	}), []string{"quiet/an error wakes"}},
	{"takes every failure for a flush", edit(func(wc *hca.WC) {
		if wc.Status != hca.StatusOK {
			wc.Status = hca.StatusFlushed
		}
	}), []string{"rights/an operation without", "local memory/a bad segment fails", "message too long/fails its receive"}},
	{"loses immediate data", edit(func(wc *hca.WC) { wc.Imm = 0 }), []string{"immediate/a write with", "immediate/a send with"}},
	{"hides suppressed errors", each(func(wc hca.WC) []hca.WC {
		if wc.Flags&hca.Suppress != 0 {
			return nil
		}
		return []hca.WC{wc}
	}), []string{"suppress/an error leaves", "suppress/what is flushed"}},
}
