package hcatest_test

import (
	"context"
	"slices"

	"github.com/godapl/godapl/internal/hca"
)

// flights makes a defect of what ReadFlight returns.
func flights(f func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight)) func() *defect {
	return func() *defect { return &defect{flight: f} }
}

// times makes a latency that counts n times more.
func times(l *hca.Latency, n uint64) *hca.Latency {
	if l == nil {
		l = &hca.Latency{}
	}
	more := *l
	more.Count += n
	more.Buckets[0] += n
	return &more
}

var brokenRecords = []broken{
	{"measures one time too many", qpStats(func(s *hca.QPStats) {
		if l := s.Latency[hca.OpWrite]; l != nil {
			s.Latency[hca.OpWrite] = times(l, 1)
		}
	}), []string{"records/the time of each | 5 times of write"}},
	{"measures no reads", qpStats(func(s *hca.QPStats) { s.Latency[hca.OpRead] = nil }),
		[]string{"records/the time of each | 1 of read succeeded, and no time is there"}},
	{"measures what was not done", qpStats(func(s *hca.QPStats) { s.Latency[hca.OpSendImm] = times(nil, 1) }),
		[]string{"records/the time of each | asked for: 1 times of"}},
	{"measures without being asked", func() *defect {
		return &defect{qp: func(cfg *hca.QPConfig) { cfg.Latency = true }}
	}, []string{"records/the time of each | not asked for: 4 times of write"}},
	{"measures failures", qpStats(func(s *hca.QPStats) {
		if l := s.Latency[hca.OpWrite]; l != nil && s.Failed[hca.StatusLocalProtection] > 0 {
			s.Latency[hca.OpWrite] = times(l, s.Failed[hca.StatusLocalProtection])
		}
	}), []string{"records/the time of each | after a failure: 5 times of write"}},
	{"records without being asked", func() *defect {
		return &defect{qp: func(cfg *hca.QPConfig) { cfg.Record = true }}
	}, []string{"records/the last events | that shall record nothing"}},
	{"records the latest event first", flights(func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight) {
		slices.Reverse(requests)
		return requests, receives, outstanding
	}), []string{"records/the last events | under way: the requests were"}},
	{"records no receives", flights(func(requests, _, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight) {
		return requests, nil, outstanding
	}), []string{"records/the last events | under way: the receives were"}},
	{"forgets the last event", flights(func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight) {
		return requests[:max(len(requests), 1)-1], receives, outstanding
	}), []string{"records/the last events | under way: the requests were"}},
	{"records no flush", flights(func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight) {
		flushed := func(ev hca.Flight) hca.Flight {
			var kept hca.Flight
			for _, e := range ev {
				if e.Status != hca.StatusFlushed {
					kept = append(kept, e)
				}
			}
			return kept
		}
		return requests, flushed(receives), outstanding
	}), []string{"records/the last events | after Close: the receives were"}},
	{"tells the latest of what is not complete", flights(func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight) {
		return requests, receives, outstanding[min(len(outstanding), 1):]
	}), []string{"records/requests that are not complete | requests wait, and the record has"}},
	{"tells of requests that are complete", flights(func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight) {
		if len(outstanding) == 0 {
			outstanding = slices.Clone(requests)
		}
		return requests, receives, outstanding
	}), []string{"records/requests that are not complete | all are complete, and the record has"}},
	{"settles nothing", func() *defect {
		return &defect{path: "shm", settle: func(hca.Settler, *hca.Patience) {}}
	}, []string{"records/settling completes | what is done is complete: not after"}},
	{"loses the entries of what it settles", func() *defect {
		lost := make(chan struct{}, 1)
		return &defect{
			settle: func(s hca.Settler, p *hca.Patience) {
				s.Settle(p)
				select {
				case lost <- struct{}{}:
				default:
				}
			},
			entries: func() func([]hca.WC) []hca.WC {
				return func(wcs []hca.WC) []hca.WC {
					if len(wcs) > 0 && wcs[0].Op == hca.OpWrite {
						select {
						case <-lost:
							return nil
						default:
						}
					}
					return wcs
				}
			},
		}
	}, []string{"records/settling completes | entry is number"}},

	{"waits for no listener", func() *defect {
		return &defect{options: func(o *hca.Options) { o.ListenWait = 0 }}
	}, []string{"listener to come/a connect waits | did not wait for a listener"}},
	{"waits for a listener for ever", func() *defect {
		return &defect{options: func(o *hca.Options) { o.ListenWait *= 1 << 20 }}
	}, []string{"listener to come/the wait ends | Connect: not back"}},
	{"waits for a listener without its context", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		return qp.Connect(context.WithoutCancel(ctx), address, p)
	}), []string{"listener to come/the wait ends | Connect: not back"}},
	{"knows no bound for the peer's silence", func() *defect {
		return &defect{listen: func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error) {
			if cfg.SpeakAfter != 0 {
				return nil, hca.NewError(hca.Unsupported, "listen", cfg.Address, "")
			}
			return a.Listen(ctx, cfg)
		}}
	}, []string{"listener/a bound for the peer's silence | Listen: "}},
	{"reports what the program rejects", func() *defect {
		d := &defect{}
		d.options = func(o *hca.Options) {
			told := o.Refused
			d.reject = func(r hca.ConnRequest, private []byte) error {
				told(r.Remote(), hca.NewError(hca.Refused, "listen", "", ""))
				return r.Reject(private)
			}
		}
		return d
	}, []string{"listener/what the program itself | is reported as refused"}},
	{"reports that a backlog is full", func() *defect {
		d := &defect{}
		d.options = func(o *hca.Options) {
			told := o.Refused
			d.listen = func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error) {
				take := cfg.OnRequest
				cfg.OnRequest = func(r hca.ConnRequest) bool {
					ok := take(r)
					if !ok {
						told(r.Remote(), hca.NewError(hca.Refused, "listen", "", ""))
					}
					return ok
				}
				return a.Listen(ctx, cfg)
			}
		}
		return d
	}, []string{"listener/what the program itself | is reported as refused"}},
}
