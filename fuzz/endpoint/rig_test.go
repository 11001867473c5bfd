package endpoint_test

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/fuzz/reference"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// A rig is an adapter with two connections: one whose peer is the input, and one that
// must not be affected. It runs in a bubble of testing/synctest, or over sockets and in
// real time.
type rig struct {
	t           *testing.T
	streams     streams
	sockets     bool // and no bubble
	polls       bool // instead of sleeping
	bell        chan struct{}
	a           hca.Adapter
	pd, foreign hca.PD
	memory      memory

	main, other *link
	ref         reference.Endpoint
}

// A link is a connection: our side, and the peer's end of the stream.
type link struct {
	qp     hca.QP
	cq     hca.CQ
	events chan hca.ConnEvent
	result chan error
	peer   *peer

	private []byte       // of the peer's request
	close   func() error // of the listener, if there is one
	seen    []hca.WC     // entries that were taken and not looked at
}

// streams makes streams without sockets.
type streams struct {
	dialled, accepted chan net.Conn
	pair              func() (ours, theirs net.Conn)
}

func (s streams) Dial(context.Context, string) (net.Conn, error) {
	ours, theirs := s.pair()
	s.dialled <- theirs
	return ours, nil
}

func (s streams) Listen(context.Context, string) (net.Listener, error) {
	return &streamListener{s.accepted, make(chan struct{})}, nil
}

type streamListener struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l *streamListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *streamListener) Close() error   { close(l.closed); return nil }
func (l *streamListener) Addr() net.Addr { return &net.UnixAddr{Name: "anywhere:7"} }

// A peer collects what the endpoint sends.
type peer struct {
	net.Conn
	mu   sync.Mutex
	in   []byte
	over chan struct{}
}

func newPeer(c net.Conn, ring func()) *peer {
	p := &peer{Conn: c, over: make(chan struct{})}
	go func() {
		defer ring()
		defer close(p.over)
		var b [4096]byte
		for {
			n, err := c.Read(b[:])
			p.mu.Lock()
			p.in = append(p.in, b[:n]...)
			p.mu.Unlock()
			if err != nil {
				return
			}
			ring()
		}
	}()
	return p
}

// got is what the endpoint has sent so far.
func (p *peer) got() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]byte(nil), p.in...)
}

// take is got, and forgets it.
func (p *peer) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.in
	p.in = nil
	return b
}

// until waits for something that must come, as a consumer that sleeps. In a bubble
// it waits until nothing moves any more, first.
func (r *rig) until(what string, there func() bool) {
	r.t.Helper()
	if !r.sockets {
		r.arm()
		if synctest.Wait(); !there() {
			r.t.Fatalf("%s: it does not come", what)
		}
		return
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for !there() {
		if r.polls {
			r.ring()
			runtime.Gosched()
		} else {
			r.arm()
			if there() {
				return
			}
		}
		select {
		case <-r.bell:
		case <-late.C:
			r.t.Fatalf("%s: it does not come", what)
		}
	}
}

// ring says that something may have come.
func (r *rig) ring() {
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// arm arms the queues: the consumer polls no more.
func (r *rig) arm() {
	for _, l := range []*link{r.main, r.other} {
		if l != nil {
			r.must(l.cq.Arm())
		}
	}
}

// patience is how long a failing run over sockets takes.
const patience = 10 * time.Second

func newRig(t *testing.T, sockets bool, pair func() (ours, theirs net.Conn)) *rig {
	r := &rig{t: t, sockets: sockets, bell: make(chan struct{}, 1), streams: streams{make(chan net.Conn, 1), make(chan net.Conn, 1), pair}}
	d := soft.FabricDriver("streams", r.streams)
	var err error
	r.a, err = d.Open(context.Background(), d.Names()[0], hca.Options{ReceiveWait: -1})
	r.must(err)
	r.pd, err = r.a.NewPD()
	r.must(err)
	r.foreign, err = r.a.NewPD()
	r.must(err)
	r.memory.init(r)
	return r
}

func (r *rig) must(err error) {
	if err != nil {
		r.t.Helper()
		r.t.Fatal(err)
	}
}

func (r *rig) newLink() *link {
	l := &link{events: make(chan hca.ConnEvent, 8), result: make(chan error, 1)}
	var err error
	l.cq, err = r.a.NewCQ(hca.CQConfig{Depth: 256, Notify: r.ring})
	r.must(err)
	l.qp, err = r.a.NewQP(hca.QPConfig{
		PD: r.pd, SendCQ: l.cq, RecvCQ: l.cq, SendDepth: 64, RecvDepth: 64, ReadsIn: 128, ReadsOut: 128,
		Event: func(ev hca.ConnEvent) { l.events <- ev; r.ring() },
	})
	r.must(err)
	return l
}

// open begins a connection: ours connects, or is asked to accept.
func (r *rig) open(l *link, initiator bool, request []byte) {
	if initiator {
		go func() { l.result <- l.qp.Connect(context.Background(), "anywhere:7", hca.ConnParams{}); r.ring() }()
		l.peer = newPeer(<-r.streams.dialled, r.ring)
		return
	}
	ln, err := r.a.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(q hca.ConnRequest) bool {
		l.private = q.Private()
		go func() { l.result <- q.Accept(context.Background(), l.qp, hca.ConnParams{}); r.ring() }()
		return true
	}})
	r.must(err)
	ours, theirs := r.streams.pair()
	l.peer = newPeer(theirs, r.ring)
	l.close = ln.Close
	r.streams.accepted <- ours
	_, _ = l.peer.Write(request)
}

// join makes a connection in the usual way, up to where both may send.
func (r *rig) join(l *link, initiator bool, f iwarp.Frame, first []byte) {
	data, err := iwarp.AppendRequest(nil, &f)
	r.must(err)
	r.open(l, initiator, data)
	r.until("the start-up frame", func() bool { return len(l.peer.got()) >= iwarp.FrameHeaderSize })
	if l.close != nil {
		r.must(l.close())
	}
	l.peer.take()
	if initiator {
		data, err = iwarp.AppendReply(nil, &f)
		r.must(err)
		_, _ = l.peer.Write(data)
	}
	_, _ = l.peer.Write(first)
	r.until("the connection", func() bool { return len(l.result) > 0 })
	r.must(<-l.result)
	if ev := <-l.events; ev.Kind != hca.EventEstablished {
		r.t.Fatalf("%+v", ev)
	}
	greets := initiator && f.Enhanced || f.Enhanced && len(first) > 0 && first[15] == 1 // see role.first
	if greets {
		r.until("the greeting", func() bool { return len(l.peer.got()) > 0 })
		l.peer.take()
	}
}

// poll takes the available entries.
func (l *link) poll() []hca.WC {
	var wcs [256]hca.WC
	l.seen = append(l.seen, wcs[:l.cq.Poll(wcs[:])]...)
	return l.seen
}
