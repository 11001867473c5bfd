package hca

import (
	"context"
	"sync/atomic"
)

// CQConfig describes a completion queue.
type CQConfig struct {
	// Depth is how many entries fit. It should be the sum of the depths of all the
	// queues that feed this one.
	Depth int
	// Room, if it is more than Depth, is how many entries fit at the most: the queue
	// takes the memory for them when they come. What is beyond the depths of the
	// queues that feed it is for completions of requests that nobody has taken yet:
	// see QPConfig.SendDepth.
	Room int
	// Notify is called once after each Arm when an entry arrives that is not
	// Quiet; once more if several entries arrive while the call is under way. See the package comment for what it may do.
	Notify func()
	// Backlog, if it is not nil, reports that the layers above hold completions that Poll has
	// returned and that the program has not taken yet. The program will then probably post soon and
	// certainly look again, so the adapter may send its posts together: see [Pusher]. It does not keep
	// back Private requests, nor others once a queue without a backlog is polled in vain or armed. Adapters call
	// it at each post, inside their gates: it takes no lock. With together, completions that the program has
	// taken together count as well, until it looks again: the posts that answer them can leave together.
	Backlog func(together bool) Backlog
	// Running is set while a channel delivers the completions to the program. If it is not set, Backlog(false) is
	// BacklogNone, and need not be called. nil: nothing is known.
	Running *atomic.Bool
}

// Backlog says what lies before a program: see CQConfig.
type Backlog uint8

const (
	// BacklogNone: nothing that is known.
	BacklogNone Backlog = iota
	// BacklogDue: nothing yet, but a goroutine forwards what the queue holds unless the queue is armed.
	BacklogDue
	// BacklogSome: completions.
	BacklogSome
)

// CQ is a completion queue.
type CQ interface {
	// Poll moves up to len(dst) entries into dst, oldest first. Fewer than len(dst) means that
	// there are no more: if the queue is armed, later entries cause Notify. If Poll finds no
	// entry, it drives progress of the queue's connections once and checks again; the first
	// call after Arm, and the first such call after Notify, need not, since Arm has resumed
	// progress. It never blocks. One caller at a time.
	Poll(dst []WC) int
	// Arm asks for one call of Notify when an entry arrives that is not Quiet.
	// Entries that are there already cause none: poll again after arming.
	// Arming also means that the consumer does not poll: from then on the
	// adapter makes progress by itself, without delay.
	Arm() error
	// Resize changes the depth. Nothing is lost; State if more than depth
	// entries are waiting.
	Resize(depth int) error
	// Depth is the real depth.
	Depth() int
	// Close fails with InUse while queue pairs use the queue.
	Close() error
}

// Peeker is an optional interface of a completion queue, which reports whether a Poll would find an
// entry at once.
type Peeker interface {
	// Ready reports whether an entry is there. It drives no progress and takes no lock, and may be
	// called at any time.
	Ready() bool
}

// Pusher is an optional interface of a completion queue whose adapter uses CQConfig.Backlog.
type Pusher interface {
	// Push sends the posts that the adapter has kept back, unless there is a backlog again. It is
	// called when the program looks for completions and finds that all have been taken. Posts that
	// nobody pushes are sent after a few milliseconds. It never blocks. Any goroutine may call it.
	Push()
}

// Sentry is an optional interface of a completion queue, which reports when a Poll is useless.
type Sentry interface {
	// Nothing reports that a Poll would find no entry now, and that the adapter notices
	// arrivals without a Poll: a consumer that is about to sleep need only Arm. It drives
	// no progress and takes no lock, and may be called at any time.
	Nothing() bool
	// SharesMemory reports that another process causes the entries, through shared memory: a Poll makes
	// no system call. It takes no lock, and may be called at any time.
	SharesMemory() bool
}

// SRQConfig describes a shared receive queue.
type SRQConfig struct {
	Depth  int
	MaxSGE int
	// Limit is called once per SRQ.Arm, when fewer receives than its argument
	// are left.
	Limit func()
}

// SRQ is a shared receive queue.
type SRQ interface {
	PostRecv(wr RecvWR) error
	// Arm sets the low watermark; see SRQConfig.Limit. 0 is off. If fewer than
	// limit are there, Limit is called at once.
	Arm(limit int) error
	// Resize changes the depth. State if more receives are outstanding.
	Resize(depth int) error
	// Depth is the real depth.
	Depth() int
	// Counts returns how many receives queue pairs may still take, and how many were posted whose
	// completion has not been polled.
	Counts() (available, outstanding int)
	// Close fails with InUse while queue pairs use the queue. Receives that are
	// still on it vanish without an entry.
	Close() error
}

// QPConfig describes a queue pair.
type QPConfig struct {
	PD     PD
	SendCQ CQ
	RecvCQ CQ
	SRQ    SRQ // nil: the queue pair has receives of its own
	// SendDepth is how many requests may be under way: the slot of a request is free
	// when its completion has been made, whether or not it has been taken. Together
	// with those that were not taken it may have SendDepth for certain, and more if its
	// completion queue has room for them that is not promised to another queue.
	//
	// A post that finds the queue full first completes what is done. So a peer that
	// waits for the answer to each request finds a slot for the next answer in a queue
	// of depth 1, over memory and over TCP. A device, or a stream of the program, may
	// report the end of an answer after the peer's next request: there the depth is 2.
	SendDepth int
	// RecvDepth is how many receives may be posted whose completions have not been
	// taken.
	RecvDepth int
	SendSGE   int
	RecvSGE   int
	ReadsOut  int // reads and atomics that this side may have under way; 0: Unsupported
	ReadsIn   int // ... and that the peer may have
	// Refuse is remote rights that the peer does not have on this connection, whatever its
	// keys allow. An access to no bytes needs no right. Unsupported without CapRefuse.
	Refuse Access
	// SolicitQuiet: receives are Quiet unless the sender has requested a solicited event or the receive
	// failed.
	SolicitQuiet bool

	// Record: the queue pair records its last events, for FlightReader. An adapter that cannot
	// ignores it.
	Record bool
	// Latency: the queue pair measures how long requests take. An adapter that cannot ignores it.
	Latency bool

	// Owner comes back in every WC.
	Owner any
	// Event is called with the events of the connection: at most one EventEstablished,
	// and after it exactly one EventDisconnected or EventBroken. A connection that was
	// never established has none of them: Connect or Accept returns the error. No entry
	// of the queue pair can be polled before EventEstablished has been delivered, but
	// those of receives that are flushed without a connection.
	Event func(ConnEvent)
}

// PlainPoster is what a queue pair may be besides: one that takes the commonest
// requests in a form whose arguments fit into registers. Both calls do what
// PostSend does with a request that has these fields and no others.
type PlainPoster interface {
	PostPlainWrite(id uint64, flags Flags, local Segment, remote uint64, rkey Key) error
	PostPlainSend(id uint64, flags Flags, local Segment) error
}

// Poster is the data path of one connection: see ConnInfo. Its calls are those of QP and
// PlainPoster.
type Poster interface {
	PlainPoster
	PostSend(wr SendWR) error
	PostSends(wrs []SendWR) (int, error)
}

// QP is a queue pair: one side of at most one reliable connection. It is made
// for one connection and closed after it; what outlives it is the native API's
// endpoint.
type QP interface {
	// PostSend queues one request. It waits for no room and for no peer; if the queue is full, it may
	// wait for a goroutine that is sending, or for a device to report a request that the peer has probably
	// answered, a tenth of a second at most. Errors: State unless
	// connected or over (over: the request is accepted and flushed at once),
	// QueueFull, Invalid, Unsupported, Length, Closed. Bad local segments are
	// no error here: the request completes with StatusLocalProtection.
	PostSend(wr SendWR) error
	// PostSends queues requests with one doorbell and returns how many were accepted; the error belongs
	// to the first that was not.
	PostSends(wrs []SendWR) (int, error)
	// PostRecv queues a receive, in any state. With an SRQ: State.
	PostRecv(wr RecvWR) error
	// PostRecvs is the batch form.
	PostRecvs(wrs []RecvWR) (int, error)

	// Connect makes the connection. It blocks until the peer has answered or
	// ctx is done; if ctx has no deadline, for AnswerTime at the most, after
	// Options.ListenWait (Timeout). On success Event has been called with EventEstablished before it
	// returns. On failure, but for State and
	// Invalid, the queue pair is over, its receives flushed. Codes:
	// Refused, Rejected (with Error.Private), Unreachable, Timeout, Canceled,
	// BadAddress, State.
	Connect(ctx context.Context, address string, p ConnParams) error
	// Disconnect ends the connection. State if there never was one; nothing if
	// it is over. Graceful: requests posted so far are
	// driven to completion first, new ones are refused with State. Abrupt:
	// what is not under way is flushed. It does not wait; Event reports the end.
	// On a queue pair that is connecting, abrupt makes Connect or Accept fail.
	Disconnect(graceful bool) error
	// Outstanding counts the requests and receives that are not complete.
	Outstanding() (requests, receives int)
	// Held counts the receive buffers that the queue pair holds, and how many
	// completions would follow if all that is arriving now succeeded.
	Held() (buffers, span int)
	// Close ends the connection abruptly if there is one, flushes what is
	// posted, and waits until no access of the queue pair is under way and the
	// callback that reports the end has returned. So it must not be called
	// inside a callback of the queue pair. Entries already in completion queues
	// stay there.
	Close() error
}
