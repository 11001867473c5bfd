package hcatest_test

import (
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

func terminal(ev hca.ConnEvent) bool {
	return ev.Kind == hca.EventDisconnected || ev.Kind == hca.EventBroken
}

// notify makes a defect of CQConfig.Notify.
func notify(f func(tell func()) func()) func() *defect {
	return func() *defect {
		return &defect{cq: func(cfg *hca.CQConfig) {
			if cfg.Notify != nil {
				cfg.Notify = f(cfg.Notify)
			}
		}}
	}
}

// tells makes a defect of QPConfig.Event.
func tells(f func(ev hca.ConnEvent, tell func(hca.ConnEvent))) func() *defect {
	return func() *defect { return &defect{event: f} }
}

var brokenEvents = []broken{
	{"loses a wake-up", notify(func(tell func()) func() {
		hit := every(100)
		return func() {
			if !hit() {
				tell()
			}
		}
	}), []string{"notify/no wake-up is lost in a ping-pong"}},
	{"wakes twice", notify(func(tell func()) func() { return func() { tell(); tell() } }),
		[]string{"notify/is called once per arming"}},
	{"never wakes", notify(func(func()) func() { return func() {} }),
		[]string{"notify/is called once per arming", "notify/a closed connection wakes"}},
	{"reports the end twice", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		tell(ev)
		if terminal(ev) {
			tell(ev)
		}
	}), []string{"disconnect/by both sides", "disconnect/again"}},
	{"reports no end", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if !terminal(ev) {
			tell(ev)
		}
	}), []string{"end/the event says", "adapter close/ends everything"}},
	{"takes every end for a break", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if terminal(ev) {
			ev.Kind = hca.EventBroken
		}
		tell(ev)
	}), []string{"end/the event says", "disconnect/by both sides"}},
	{"takes every break for an end", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if terminal(ev) {
			ev.Kind = hca.EventDisconnected
		}
		tell(ev)
	}), []string{"end/the event says", "keys/a key that was never given"}},
	{"tells no cause", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		ev.Err = nil
		tell(ev)
	}), []string{"end/the event says", "receiver not ready/without a wait"}},
	{"reports the connection late", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if ev.Kind == hca.EventEstablished {
			time.AfterFunc(200*time.Millisecond, func() { tell(ev) })
			return
		}
		tell(ev)
	}), []string{"established/the event comes", "established/no completion"}},
	{"calls back after Close", func() *defect {
		return &defect{event: func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
			if terminal(ev) {
				time.AfterFunc(time.Millisecond, func() { tell(ev) })
				return
			}
			tell(ev)
		}}
	}, []string{"callbacks/nothing is called after Close"}},
	{"forgets the last receive", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if ev.Kind != hca.EventLastReceive {
			tell(ev)
		}
	}), []string{"shared receives/the last receive"}},
	{"calls a limit twice", func() *defect {
		return &defect{srq: func(cfg *hca.SRQConfig) {
			if f := cfg.Limit; f != nil {
				cfg.Limit = func() { f(); f() }
			}
		}}
	}, []string{"shared receives/the limit is called once", "shared receives/the limit is called at once"}},
	{"keeps an overflow to itself", func() *defect {
		return &defect{options: func(o *hca.Options) { o.Async = nil }}
	}, []string{"completion queue/overflow is reported"}},
	{"wakes for every receive", func() *defect {
		return &defect{qp: func(cfg *hca.QPConfig) { cfg.SolicitQuiet = false }}
	}, []string{"solicited/only solicited receives"}},
	{"wakes for no receive", func() *defect {
		return &defect{qp: func(cfg *hca.QPConfig) { cfg.SolicitQuiet = true }}
	}, []string{"solicited/the flag changes nothing", "quiet/a receive wakes nobody"}},
	{"overlooks an overflow of callbacks", func() *defect {
		var n atomic.Int64
		return notify(func(tell func()) func() {
			return func() {
				if n.Add(1) > 50 { // goes deaf
					return
				}
				tell()
			}
		})()
	}, []string{"notify/no wake-up is lost while others", "callbacks/Notify may poll"}},
	{"is always ready", func() *defect { return &defect{ready: func(bool) bool { return true }} }, []string{"ready/tells of"}},
	{"is never ready", func() *defect { return &defect{ready: func(bool) bool { return false }} }, []string{"ready/tells of"}},
	{"says that there is nothing", func() *defect { return &defect{nothing: func(bool) bool { return true }} }, []string{"ready/tells of"}},
}
