package peers_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// IRD and ORD: what is answered, what is told to the program, and that both
// are kept to. Rows 13 and 54.

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

// underWay fails unless ours has exactly so many reads under way, of more.
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
	// Answering one by one lets one more through each time.
	open := make([]wantedRead, 0, depth)
	for range depth {
		open = append(open, x.nextRead())
	}
	for i := range depth + more {
		if len(p.in) > 0 {
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

// Row 54: more requests than agreed, behind one whose answer is stuck because
// the peer does not read it.
func TestTooManyReadRequests(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		if r.frame.Enhanced {
			r.frame.IRD, r.frame.ORD = 2, 2
		}
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{2, 2})
			e.recv(8)
			e.busy()
			stuck := newStuck(t, s)
			p.write(stuck.request(1), stuck.request(2), stuck.request(3))
			e.over(hca.EventBroken)
			end := p.end()
			end.one(t, "1/2/0x02")
			stuck.close(t, end, 3)
			s.bystander(t)
		})
	}
}

// A request that is refused is refused whole: an atomic operation beyond the
// depth is not done.
func TestTooManyAtomics(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range ownRoles {
		r.frame.IRD, r.frame.ORD = 4, 4
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			all, stuck := e.mem.all, newStuck(t, s)
			e.may = append(e.may, all.span(0, 24))
			p.write(stuck.request(1))
			for i := range 4 { // one too many
				p.write(fetchAdd(iwarp.MSN(2+i), all.stag(), all.to(8*i)))
			}
			e.over(hca.EventBroken)
			end := p.end()
			end.one(t, "1/2/0x02")
			stuck.close(t, end, 5)
			s.bystander(t)
		})
	}
}

// stuck is memory that is larger than all that a stream holds under way.
type stuck struct {
	hca.MR
	bytes []byte
}

func newStuck(t testing.TB, s *station) *stuck {
	t.Helper()
	k := &stuck{bytes: make([]byte, 24<<20)}
	for i := range k.bytes {
		k.bytes[i] = byte(i >> 12)
	}
	var err error
	if k.MR, err = s.pd.Register(hca.Memory{Bytes: k.bytes}, hca.LocalRead|hca.RemoteRead); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *stuck) request(msn iwarp.MSN) []byte {
	return readRequest(msn, iwarp.STag(k.RKey()), k.Addr(), uint32(len(k.bytes)))
}

// close fails unless what came of the answer is right, and less than too many.
func (k *stuck) close(t testing.TB, end ending, tooMany int) {
	t.Helper()
	answers, at := 0, 0
	for _, s := range end.segments {
		if s.Op != iwarp.OpReadResponse {
			continue
		}
		if want := int(s.TO - sinkTO); want != at {
			t.Errorf("a segment is for octet %d, want %d", want, at)
			break
		}
		if string(s.Payload) != string(k.bytes[at:at+len(s.Payload)]) {
			t.Errorf("the segment at %d has other octets", at)
			break
		}
		at += len(s.Payload)
		if s.Last {
			answers, at = answers+1, 0
		}
	}
	if answers >= tooMany {
		t.Errorf("%d answers came", answers)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}
