package verbs

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// established reports the connection to the consumer, and then lets the
// connection's completions through. It runs on the goroutine of the
// connection manager's events, so a disconnect cannot overtake it.
func (q *qp) established(ev *ibv.CMEvent) bool {
	a := q.ad
	q.mu.Lock()
	if q.state != connecting || q.cancelConnect() {
		q.mu.Unlock()
		return false
	}
	q.state, q.since = connected, time.Now()
	q.quiet.Store(a.siw && q.passive)
	q.info.Local, q.info.Remote = q.id.LocalAddr().String(), q.id.PeerAddr().String()
	q.info.Path, q.info.Caps, q.info.Acked = "verbs", a.attr.Caps, !a.iwarp
	if !q.passive {
		q.info.Private = ev.Conn.PrivateData
		q.info.ReadsOut, q.info.ReadsIn = q.agreed(ev.Conn.InitiatorDepth, ev.Conn.ResponderResources)
	}
	if !a.iwarp {
		// This is how long the peer waits when it finds no receive.
		a.lib.ModifyQP(q.h, &ibv.QPAttr{MinRNRTimer: a.rnrTimer()}, ibv.QPAttrMinRNRTimer)
	}
	info := q.info
	q.mu.Unlock()

	if q.cfg.Event != nil && a.calls.enter() {
		q.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
		a.calls.leave()
	}
	q.open()
	if a.siw {
		a.ends.Go(a.labeled("accept", q.earlyConn)) // before opened, and so before anybody waits for the ends
	}
	close(q.opened)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch { // the end may have been known earlier
	case q.cause != nil:
		q.begin(ending)
	case q.hasLeft():
		q.begin(peerLeft)
	}
	return true
}

// open lets completions through.
func (q *qp) open() {
	q.rcq.mu.Lock()
	q.recv.release(q.rcq)
	q.rcq.finish()
}

// agreed limits this side's values by the peer's. An iWARP peer of the first revision
// sends none.
func (q *qp) agreed(out, in uint8) (int, int) {
	if q.ad.iwarp && out == 0 && in == 0 {
		return q.cfg.ReadsOut, q.cfg.ReadsIn
	}
	return min(q.cfg.ReadsOut, int(out)), min(q.cfg.ReadsIn, int(in))
}

// rnrTimes are the times for which a device can ask its peer to wait for a receive, by
// their codes (IBTA 9.7.5.2.8).
var rnrTimes = []struct {
	code uint8
	time time.Duration
}{
	{1, 10 * time.Microsecond}, {6, 80 * time.Microsecond}, {12, 640 * time.Microsecond},
	{14, 1280 * time.Microsecond}, {16, 2560 * time.Microsecond}, {18, 5120 * time.Microsecond},
	{20, 10240 * time.Microsecond}, {22, 20480 * time.Microsecond}, {24, 40960 * time.Microsecond},
	{26, 81920 * time.Microsecond}, {28, 163840 * time.Microsecond}, {30, 327680 * time.Microsecond},
	{31, 491520 * time.Microsecond},
}

// rnrMost is the largest finite number of retries for a missing receive; the next
// larger value means retry for ever.
const rnrMost = 6

// receiveWait is how long a message waits for its receive.
func (a *adapter) receiveWait() time.Duration {
	if a.opt.ReceiveWait == 0 {
		return time.Second
	}
	return a.opt.ReceiveWait
}

// rnrTimer and rnrRetries approximate the receive wait with the device's two settings:
// an interval and a number of retries. A longer wait becomes endless retries with a
// short interval.
func (a *adapter) rnrTimer() uint8 {
	wait := a.receiveWait()
	if wait > rnrMost*rnrTimes[len(rnrTimes)-1].time {
		return 12
	}
	for _, t := range rnrTimes {
		if rnrMost*t.time >= wait {
			return t.code
		}
	}
	return 31
}

func (a *adapter) rnrRetries() uint8 {
	wait := a.receiveWait()
	switch {
	case wait < 0:
		return 0
	case wait > rnrMost*rnrTimes[len(rnrTimes)-1].time:
		return 7
	}
	return rnrMost
}
