package peers_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// IRD and ORD: what is answered, what the program is told, and that both are kept. Rows 13 and 54.

func TestDepthsAsResponder(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, theirs := range []iwarp.Depth{0, 1, 3, 4, 5, 128, 129, 0x3ffe, 0x3fff} {
		for _, ours := range []int{0, 1, 4, 128} {
			t.Run(fmt.Sprintf("request %d, endpoint %d", theirs, ours), func(t *testing.T) {
				v := s.listen(t)
				p := dial(t, v.address())
				p.sendRequest(enhanced(iwarp.RTRWrite, theirs, theirs))
				e := s.endpoint(t, depths{ours, ours})
				result := e.accept(v.request(), nil)
				f := p.takeReply()
				// Some peers take 0 and 0x3fff literally, and break.
				if f.IRD < 1 || f.IRD > 128 || f.ORD < 1 || f.ORD > 128 {
					t.Errorf("the reply says IRD %d, ORD %d, want 1 to 128", f.IRD, f.ORD)
				}
				if theirs > 0 && f.ORD > theirs {
					t.Errorf("the reply's ORD %d is more than the request's IRD %d", f.ORD, theirs)
				}
				if int(f.IRD) < min(ours, int(theirs)) {
					t.Errorf("the reply's IRD %d is less than both want", f.IRD)
				}
				p.write(write(1, 0, ""))
				info := e.established(result)
				if want := min(int(theirs), ours); info.ReadsOut != want || info.ReadsIn != want {
					t.Errorf("the program is told %d out, %d in, want %d", info.ReadsOut, info.ReadsIn, want)
				}
				(&exchange{t, e, p}).underWay(info.ReadsOut)
			})
		}
	}
	s.bystander(t)
}

// underWay fails unless this side has exactly depth reads under way, of more.
func (x *exchange) underWay(depth int) {
	x.t.Helper()
	e, p := x.e, x.p
	x.may(x.m().sink, 0, pieceSize)
	if depth == 0 {
		err := e.qp.PostSend(hca.SendWR{Op: hca.OpRead, Local: e.mem.sink.segment(0, 4), RKey: 7})
		if !errors.Is(err, hca.Unsupported) {
			x.t.Errorf("posting a read where none are agreed: %v", err)
		}
		x.alive()
		return
	}
	const more = 3
	if depth+more > 100 {
		return // the queue is not that long
	}
	for i := range depth + more {
		e.ledger.allow(e.readAt(4*i, 4), hca.StatusOK)
	}
	// Each answer lets one more request through.
	open := make([]wantedRead, 0, depth)
	for range depth {
		open = append(open, x.nextRead())
	}
	for i := range depth + more {
		if p.has() {
			x.t.Fatalf("more than %d reads are under way", depth)
		}
		p.write(open[0].answer("abcd"))
		open = open[1:]
		e.done(hca.StatusOK)
		if i < more {
			open = append(open, x.nextRead())
		}
	}
	x.alive()
}

func (x *exchange) nextRead() (w wantedRead) {
	x.t.Helper()
	if err := iwarp.ParseReadRequest(x.p.want(iwarp.OpReadRequest).Payload, &w.ReadRequest); err != nil {
		x.t.Fatal(err)
	}
	return w
}

func TestDepthsAsInitiator(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, theirs := range []iwarp.Depth{0, 1, 3, 5, 128, 0x3fff} {
		for _, ours := range []int{0, 1, 4} {
			t.Run(fmt.Sprintf("reply %d, endpoint %d", theirs, ours), func(t *testing.T) {
				h := listen(t)
				e := s.endpoint(t, depths{ours, ours})
				result := e.connect(h.address(), nil)
				p := h.accept()
				if f := p.takeRequest(); int(f.IRD) != max(ours, 1) || int(f.ORD) != max(ours, 1) {
					t.Errorf("the request says IRD %d, ORD %d", f.IRD, f.ORD)
				}
				p.sendReply(enhanced(iwarp.RTRWrite, theirs, theirs))
				info := e.established(result)
				if want := min(int(theirs), ours); info.ReadsOut != want || info.ReadsIn != want {
					t.Errorf("the program is told %d out, %d in, want %d", info.ReadsOut, info.ReadsIn, want)
				}
				p.want(iwarp.OpWrite)
				(&exchange{t, e, p}).underWay(info.ReadsOut)
			})
		}
	}
	s.bystander(t)
}
