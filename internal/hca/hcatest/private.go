package hcatest

import (
	"bytes"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

var privateCases = []Case{
	{"private data", "of every length arrives whole in both directions", privateSizes},
	{"private data", "of a rejection arrives whole", privateReject},
	{"private data", "over the maximum is invalid and sends nothing", privateTooLong},
}

func (s *side) privateSizes() []int {
	most := s.attr.MaxPrivateData
	return []int{0, 1, 17, most - 1, most}
}

// whole reports whether private data arrived as it was sent, padded with zeros where
// the wire does not carry its length.
func (s *side) whole(got, sent []byte) bool {
	if !s.attr.PrivatePadded {
		return bytes.Equal(got, sent)
	}
	return bytes.HasPrefix(got, sent) && len(bytes.TrimLeft(got[len(sent):], "\x00")) == 0
}

func privateSizes(t *env) {
	f := t.fixture(hca.Options{})
	for _, n := range f.a.privateSizes() {
		there, back := make([]byte, n), make([]byte, n)
		fill(there, n)
		fill(back, n+1)
		want := bytes.Clone(back)
		a, b := f.a.end(setup{}), f.b.end(setup{})
		dialed := f.dial(t.ctx(), a, there)
		r := f.request()
		if !f.b.whole(r.Private(), there) {
			t.Errorf("%d bytes with the request: got %d: %x", n, len(r.Private()), r.Private())
		}
		t.must("Accept", t.within("Accept", func() error {
			err := r.Accept(t.ctx(), b.qp, hca.ConnParams{Private: back})
			paint(back, 0xFF) // ours again
			return err
		}))
		t.must("Connect", t.result("Connect", dialed))
		if got := a.ev.info().Private; !f.a.whole(got, want) {
			t.Errorf("%d bytes with the acceptance: got %d: %x", n, len(got), got)
		}
		if got := b.ev.info().Private; got != nil {
			t.Errorf("the accepting side has private data: %x", got)
		}
		a.close()
		b.close()
	}
}

func privateReject(t *env) {
	f := t.fixture(hca.Options{})
	for _, n := range f.a.privateSizes() {
		word := make([]byte, n)
		fill(word, n)
		a := f.a.end(setup{})
		id := a.receive(a.mail.seg(0, 8))
		dialed := f.dial(t.ctx(), a, nil)
		t.must("Reject", f.request().Reject(word))
		err := t.result("Connect", dialed)
		t.code("Connect", err, hca.Rejected)
		var e *hca.Error
		if errors.As(err, &e) && !f.a.whole(e.Private, word) {
			t.Errorf("%d bytes with the rejection: got %d: %x", n, len(e.Private), e.Private)
		}
		a.flushed(id)
		a.ev.none("rejected")
		a.idle("rejected")
		a.close()
	}
}

func privateTooLong(t *env) {
	f := t.fixture(hca.Options{})
	long := make([]byte, f.a.attr.MaxPrivateData+1)
	e := f.a.end(setup{})
	kept := e.receive(e.mail.seg(0, 8))
	t.code("Connect", f.result("Connect", f.dial(t.ctx(), e, long)), hca.Invalid)
	e.ev.none("refused before it began")
	e.idleBut(0, 1) // and as fresh as before
	p := f.b.end(setup{})
	f.connect(e, p)
	p.do(send(p.mail.seg(0, 8)))
	e.got(want{id: kept, op: hca.OpRecv, len: 8})

	a, b := f.a.end(setup{}), f.b.end(setup{})
	dialed := f.dial(t.ctx(), a, []byte("first"))
	r := f.request()
	if !f.b.whole(r.Private(), []byte("first")) {
		t.Errorf("the refused Connect has sent a request: %q", r.Private())
	}
	t.code("Accept", t.within("Accept", func() error {
		return r.Accept(t.ctx(), b.qp, hca.ConnParams{Private: long})
	}), hca.Invalid)
	t.code("Reject", r.Reject(long), hca.Invalid)
	// The request is still there to be answered.
	t.must("Reject", r.Reject(nil))
	t.code("Connect", t.result("Connect", dialed), hca.Rejected)
	b.ev.none("not accepted")
}
