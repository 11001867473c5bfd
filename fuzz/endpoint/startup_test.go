package endpoint_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/fuzz/reference"
	"github.com/godapl/godapl/internal/hca"
)

// A hello is a start-up frame that is made of the input.
type hello struct {
	flags, revision byte
	size            byte // 0x80 and more: how far the length is from the truth
	key             byte // 0xf0 and more: the letter that is wrong
	cut             byte // 0x80 and more: how many bytes of it come
	private, behind []byte
}

func (h *hello) encode(key string) []byte {
	n := len(h.private)
	if h.size >= 0x80 {
		n += int(int8(h.size<<1)) * 5
	}
	b := append([]byte(key), h.flags, h.revision, byte(n>>8), byte(n))
	if h.key >= 0xf0 {
		b[h.key&15] ^= 0x20
	}
	b = append(b, h.private...)
	if h.cut >= 0x80 {
		b = b[:min(len(b), int(h.cut&0x7f))]
	}
	return append(b, h.behind...)
}

// FuzzStartup: for any data instead of a request or a reply, the endpoint does the same
// as the reference, and no program is told of malformed frames. Then it continues like
// FuzzEndpoint.
func FuzzStartup(f *testing.F) {
	for _, s := range startupSeeds() {
		h := &s.hello
		f.Add(s.initiator, h.flags, h.revision, h.size, h.key, h.cut, h.private, h.behind, []byte{8, 0}, s.script)
	}
	f.Fuzz(func(t *testing.T, initiator bool, flags, revision, size, key, cut byte, private, behind, receives, script []byte) {
		h := &hello{flags, revision, size, key, cut, private, behind}
		inBubble(t, func(r *rig) {
			r.other, r.main = r.newLink(), r.newLink()
			r.join(r.other, false, plain, roles[0].first())
			for i, n := range receives[:min(len(receives), 8)] {
				seg, room := r.memory.part("recv", int(n%20))
				r.must(r.main.qp.PostRecv(hca.RecvWR{ID: uint64(i + 1), Local: seg}))
				r.ref.Receives = append(r.ref.Receives, reference.Receive{ID: uint64(i + 1), Room: room})
			}
			if initiator {
				r.replied(h, script)
			} else {
				r.requested(h, script)
			}
		})
	})
}

// stream is what follows the start-up.
func (r *rig) stream(b []byte) (posted int) {
	posted = len(r.ref.Receives)
	s := script{b: b, ref: &r.ref}
	stream := slices.Concat(s.run()...)
	r.say(stream, nil)
	r.ref.Feed(stream)
	return posted
}

// nothing fails if a program has heard of anything, and takes stock.
func (r *rig) nothing() {
	if len(r.main.events) > 0 {
		r.t.Fatalf("there was an event: %+v", <-r.main.events)
	}
	r.must(r.main.qp.Close())
	r.once(r.main.poll(), len(r.ref.Receives))
	r.done(r.main.poll())
	if at, where := r.memory.differs(); at >= 0 {
		r.t.Fatalf("byte %d %s has changed", at, where)
	}
	r.bystander(1)
}

// requested has the peer ask for a connection.
func (r *rig) requested(h *hello, script []byte) {
	l, data := r.main, h.encode(reference.RequestKey)
	want, n, verdict := reference.StartUp(data, reference.RequestKey)
	if verdict == reference.Accept && n < len(data) {
		verdict = reference.Closed // nothing may follow before the reply
	}
	begun := time.Now()
	r.open(l, false, data)
	synctest.Wait()
	r.must(l.close())
	if verdict != reference.Accept {
		<-l.peer.over
		if d := time.Since(begun); d > 5*time.Second || d > 0 && verdict != reference.More {
			r.t.Fatalf("%x was closed after %v", data, d)
		}
		reply, _, v := reference.StartUp(l.peer.got(), reference.ReplyKey)
		if got := l.peer.got(); verdict == reference.Rejected && (v != reference.Accept || !reply.Reject) || verdict != reference.Rejected && len(got) > 0 {
			r.t.Fatalf("%x was answered with %x", data, got)
		}
		if l.private != nil {
			r.t.Fatalf("%x reached the program", data)
		}
		r.nothing()
		return
	}
	reply, n, v := reference.StartUp(l.peer.got(), reference.ReplyKey)
	if v != reference.Accept || n != len(l.peer.got()) || reply.Reject || reply.Markers || !reply.CRC || reply.Revision != want.Revision ||
		reply.Enhanced != want.Enhanced || reply.PeerToPeer != want.PeerToPeer || string(l.private) != want.Private {
		r.t.Fatalf("%+v was answered with %+v; the program got %q", want, reply, l.private)
	}
	if reply.Enhanced {
		r.agreed(want, reply)
	}
	l.peer.take()
	r.ref.ReadySend = reply.ReadySend
	posted := r.stream(script)
	synctest.Wait()
	if err := <-l.result; err != nil {
		if !reply.PeerToPeer || r.ref.Met() && !r.ref.Over || !errors.Is(err, hca.Refused) && !errors.Is(err, hca.Timeout) {
			r.t.Fatalf("the request was accepted, and then %v", err)
		}
		r.nothing()
		return
	}
	<-l.events // established
	r.compare(0, posted, !want.Markers)
}

// agreed checks a reply's depths, and that it selects one RTR frame.
func (r *rig) agreed(want, reply reference.Frame) {
	ways := 0
	for _, w := range []struct{ offered, chosen bool }{
		{want.ReadySend, reply.ReadySend}, {want.ReadyWrite, reply.ReadyWrite}, {want.ReadyRead, reply.ReadyRead},
	} {
		if w.chosen {
			ways++
			if !w.offered && (want.ReadySend || want.ReadyWrite || want.ReadyRead) {
				r.t.Fatalf("%+v was answered with %+v", want, reply)
			}
		}
	}
	if (ways == 1) != want.PeerToPeer || ways > 1 || reply.IRD < 1 || reply.IRD > 128 || reply.ORD < 1 || reply.ORD > 128 {
		r.t.Fatalf("%+v was answered with %+v", want, reply)
	}
}

// replied has ours ask, and the peer answer.
func (r *rig) replied(h *hello, script []byte) {
	l := r.main
	r.open(l, true, nil)
	synctest.Wait()
	if f, n, v := reference.StartUp(l.peer.take(), reference.RequestKey); v != reference.Accept || n == 0 || f.Markers || !f.CRC {
		r.t.Fatalf("the request is %+v", f)
	}
	data := h.encode(reference.ReplyKey)
	f, n, verdict := reference.StartUp(data, reference.ReplyKey)
	said := reference.Close
	switch {
	case verdict != reference.Accept || f.Reject || !f.Enhanced:
	case f.ORD > 128 && f.ORD != 0x3fff, f.ReadyRead && !f.ReadyWrite && !f.ReadySend && f.IRD == 0:
		said = "2/0/0x06"
	case f.ReadySend, f.ReadyWrite == f.ReadyRead:
		said = "2/0/0x07"
	}
	_, _ = l.peer.Write(data)
	synctest.Wait()
	if verdict != reference.Accept || f.Reject || said != reference.Close {
		err := <-l.result
		var e *hca.Error
		want := map[bool]hca.Code{true: hca.Refused, false: hca.Timeout}[verdict != reference.More]
		if f.Reject && verdict == reference.Accept {
			want = hca.Rejected
		}
		if !errors.As(err, &e) || e.Code != want || want == hca.Rejected && string(e.Private) != f.Private {
			r.t.Fatalf("%x: connecting failed with %v, want %v", data, err, want)
		}
		<-l.peer.over
		got := reference.Close
		for _, s := range r.segments(l.peer.got()) {
			got = reaction(s.Payload)
		}
		if got != said {
			r.t.Fatalf("%x was answered with %v, want %v", data, got, said)
		}
		r.nothing()
		return
	}
	r.must(<-l.result)
	<-l.events // established
	posted := len(r.ref.Receives)
	if f.Enhanced && !f.Markers {
		first := r.segments(l.peer.take())
		if len(first) != 1 || first[0].Op != map[bool]byte{true: reference.Write, false: reference.ReadRequest}[f.ReadyWrite] {
			if n == len(data) {
				r.t.Fatalf("ours began with %+v", first)
			}
		}
	}
	if f.Enhanced && f.ReadyRead {
		// A read of nothing, which no program asked for; see soft's readSTag.
		r.ref.Reads = []reference.Read{{STag: 1<<31 | 1}}
	}
	r.ref.Feed(data[n:])
	r.stream(script)
	r.compare(0, posted, !f.Markers && n == len(data))
}

// A startupSeed is a frame with what follows.
type startupSeed struct {
	initiator bool
	hello     hello
	script    []byte
}

func startupSeeds() (list []startupSeed) {
	begin := []byte{11, 14, 0xc1, 0x40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 5, 0, 0}
	depth := func(first, second byte) []byte { return []byte{first, 4, second, 4, 'h', 'i'} }
	for _, initiator := range []bool{true, false} {
		for _, h := range []hello{
			{flags: 0x40, revision: 1}, {flags: 0x40, revision: 2}, {flags: 0x50, revision: 2, private: depth(0x80, 0xc0)},
			{flags: 0x50, revision: 2, private: depth(0x80, 0x80)}, {flags: 0x50, revision: 2, private: depth(0x80, 0x40)},
			{flags: 0x50, revision: 2, private: depth(0xc0, 0)}, {flags: 0x50, revision: 2, private: depth(0, 0)},
			{flags: 0xd0, revision: 2, private: depth(0x80, 0x80)}, {flags: 0x70, revision: 2, private: depth(0x80, 0x80)},
			{flags: 0x50, revision: 2, private: []byte{1, 2}}, {flags: 0x40, revision: 3}, {flags: 0x40, revision: 1, size: 0xb3},
			{flags: 0x40, revision: 1, key: 0xf3}, {flags: 0x40, revision: 1, cut: 0x87}, {flags: 0x40, revision: 1, behind: begin[2:]},
			{flags: 0x50, revision: 2, private: []byte{0x80, 0, 0x40, 200}}, {flags: 0x40, revision: 1, private: make([]byte, 513)},
		} {
			list = append(list, startupSeed{initiator, h, begin})
		}
	}
	return list
}
