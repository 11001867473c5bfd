package verbs

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/flight"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// state is the state of a queue pair. It only moves forward.
type state uint8

const (
	fresh      state = iota
	connecting       // Connect or Accept is under way
	connected
	draining // a graceful disconnect waits for what was posted
	peerLeft // the peer has left: statuses that it sent before may still arrive
	ending   // the device's queue pair is being taken down
	over
)

// qp is one side of a connection: what the contract calls a queue pair.
type qp struct {
	ad       *adapter
	cfg      hca.QPConfig
	pd       *pd
	scq, rcq *cq
	srq      *srq
	index    uint32

	// mu is held while posting and while the state changes. Completion queues'
	// locks are taken under it.
	mu        sync.Mutex
	state     state
	closed    bool
	h         ibv.QP // 0: the device has none
	num       uint32
	id        *cmID
	frame     ibv.Frame
	send      sendQ
	recv      recvQ
	sent      tally            // requests
	got       tally            // receives
	flight    *flight.Recorder // nil: none; guarded as sent and got are
	latency   *latency         // nil: off; guarded as sent is
	args      *args
	one       [1]hca.SendWR
	oneRcv    [1]hca.RecvWR
	flushLate bool // requests were posted that must be flushed
	pulled    bool // the receive queue was pulled, and must be driven
	// binding: a bind is being posted, and holds the domain's binding.
	binding bool
	asked   bool  // this side asked for the end
	cause   error // what broke the connection, if something did
	// left is closed when the peer has ended the connection.
	left     chan struct{}
	leftOnce sync.Once

	// unanswered: Connect gave up while the device was waiting for the peer's answer.
	unanswered bool
	// steps brings the connection manager's answers to Connect and Accept.
	steps chan ibv.CMEvent
	// cancel is closed when a connection being made is to fail. giveUp, if it is not nil,
	// ends the context of Connect then.
	cancel     chan struct{}
	cancelOnce sync.Once
	giveUp     func()
	// opened is closed when the established event has been reported. called is
	// closed when the library call that requested the connection has returned:
	// the answer may arrive earlier, while that call still uses the identifier.
	opened, called chan struct{}
	// abrupt is closed when a graceful disconnect is to be cut short.
	abrupt     chan struct{}
	abruptOnce sync.Once
	// progress wakes a goroutine that waits for completions.
	progress chan struct{}
	waits    atomic.Bool
	// deferredWork counts deferred effects of completions, which need mu: see
	// cq.deferWork.
	deferredWork atomic.Int32
	lastTaken    atomic.Bool   // the device takes no shared receive any more
	waiting      atomic.Bool   // there is a backlog
	quiet        atomic.Bool   // send nothing until the peer was heard: see nudge.go
	backlog      []hca.SendWR  // requests behind a fence; guarded by mu
	ended        chan struct{} // closed when all is over
	info         hca.ConnInfo
	since        time.Time // when the connection was made
	passive      bool      // it was accepted
}

func (a *adapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	const op = "NewQP"
	if err := a.begin(op); err != nil {
		return nil, err
	}
	defer a.calls.leave()
	if cfg.Refuse != 0 {
		return nil, hca.NewError(hca.Unsupported, op, "", "the connection manager gives every connection of a device all remote rights; leave them out of the regions")
	}
	q := &qp{
		ad: a, cfg: cfg,
		steps: make(chan ibv.CMEvent, 8), cancel: make(chan struct{}), opened: make(chan struct{}), called: make(chan struct{}),
		left: make(chan struct{}), abrupt: make(chan struct{}), progress: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	if cfg.Latency {
		q.latency = new(latency)
	}
	if cfg.Record {
		q.flight = &flight.Recorder{} // without a clock: the time costs little beside a device
	}
	if err := q.take(op); err != nil {
		return nil, err
	}
	if err := a.fits(op, &cfg); err != nil {
		return nil, err
	}
	if err := q.join(op); err != nil {
		return nil, err
	}
	if a.attr.Caps&hca.CapSolicited == 0 {
		cfg.SolicitQuiet, q.cfg.SolicitQuiet = false, false
	}
	if cfg.SolicitQuiet {
		if _, err := q.rcq.forSolicited(op); err != nil {
			q.leave()
			return nil, err
		}
	}
	q.frame.Ops = a.dev.ops
	q.send.init(q, cfg.SendDepth)
	err := q.recv.init(q, cfg.RecvDepth, cfg.RecvSGE)
	if err == nil {
		q.args, err = newArgs(cfg.SendDepth, a.sendSGE(&cfg))
	}
	if err == nil {
		q.index = a.table.put(q, nil)
		err = add(a, op, a.all, q, struct{}{})
	}
	if err != nil {
		q.leave()
		q.free()
		return nil, err
	}
	return q, nil
}

// take takes the objects of this adapter from the configuration.
func (q *qp) take(op string) error {
	var ok1, ok2, ok3, ok4 bool
	q.pd, ok1 = q.cfg.PD.(*pd)
	q.scq, ok2 = q.cfg.SendCQ.(*cq)
	q.rcq, ok3 = q.cfg.RecvCQ.(*cq)
	if ok4 = q.cfg.SRQ == nil; !ok4 {
		q.srq, ok4 = q.cfg.SRQ.(*srq)
	}
	ours := ok1 && ok2 && ok3 && ok4 && q.pd.ad == q.ad && q.scq.ad == q.ad && q.rcq.ad == q.ad &&
		(q.srq == nil || q.srq.ad == q.ad)
	switch {
	case !ours:
		return hca.NewError(hca.Invalid, op, q.ad.attr.Name, "the domain and the queues must be of this adapter")
	case q.srq != nil && q.srq.pd != q.pd:
		return hca.NewError(hca.Protection, op, "shared receive queue", "it belongs to another domain")
	}
	return nil
}

// fits checks sizes against the device's limits.
func (a *adapter) fits(op string, c *hca.QPConfig) error {
	for _, l := range [...]struct {
		what    string
		n, most int
	}{
		{"requests", c.SendDepth, a.attr.MaxSendWR},
		{"receives", c.RecvDepth, a.attr.MaxRecvWR},
		{"segments of a request", c.SendSGE, a.attr.MaxSGE},
		{"segments of a receive", c.RecvSGE, a.attr.MaxSGE},
		{"reads of this side", c.ReadsOut, a.attr.MaxReadsOut},
		{"reads of the peer", c.ReadsIn, a.attr.MaxReadsIn},
	} {
		if l.n < 0 || l.n > l.most {
			return hca.NewError(hca.Invalid, op, strconv.Itoa(l.n)+" "+l.what, "this device has from 0 to "+strconv.Itoa(l.most))
		}
	}
	return nil
}

// join counts the queue pair as a user of its objects.
func (q *qp) join(op string) error {
	if err := q.pd.join(op); err != nil {
		return err
	}
	if err := q.scq.join(op); err != nil {
		q.pd.leave()
		return err
	}
	if err := q.rcq.join(op); err != nil {
		q.scq.leave()
		q.pd.leave()
		return err
	}
	if q.srq != nil {
		if err := q.srq.join(op); err != nil {
			q.rcq.leave()
			q.scq.leave()
			q.pd.leave()
			return err
		}
		q.rcq.room.Share(q.srq, q.srq.Depth)
	} else {
		q.rcq.room.Promise(q.cfg.RecvDepth)
	}
	q.send.share = q.scq.room.Join(q.cfg.SendDepth, q.send.used)
	return nil
}

func (q *qp) leave() {
	q.send.share.Leave()
	if q.srq != nil {
		q.rcq.room.Unshare(q.srq, q.srq.untaken)
	} else {
		q.rcq.room.Withdraw(q.cfg.RecvDepth, q.recv.used)
	}
	if q.srq != nil {
		q.srq.leave()
	}
	q.rcq.leave()
	q.scq.leave()
	q.pd.leave()
}

// free gives the memory back.
func (q *qp) free() {
	q.recv.free()
	q.args.free()
}
