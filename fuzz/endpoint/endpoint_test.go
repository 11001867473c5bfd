package endpoint_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/fuzz/reference"
	"github.com/godapl/godapl/internal/hca"
)

// FuzzEndpoint: for any data of the peer, a live endpoint does the same as the
// reference: memory, completions, answers and the end agree.
func FuzzEndpoint(f *testing.F) {
	for _, s := range endpointSeeds() {
		f.Add(s.in.role, s.in.end, s.in.receives, s.in.reads, s.in.cuts, s.in.script)
	}
	f.Fuzz(func(t *testing.T, role, end byte, receives, reads, cuts, script []byte) {
		in := &input{role, end, receives, reads, cuts, script}
		inBubble(t, func(r *rig) { r.endpoint(in) })
	})
}

// gone is whether the peer has been told of the end, or has closed itself.
func (r *rig) gone() bool {
	select {
	case <-r.main.peer.over:
		return true
	default:
		return false
	}
}

func (r *rig) endpoint(in *input) {
	r.begin(in)
	s := script{b: in.script, ref: &r.ref}
	stream := slices.Concat(s.run()...)
	posted := len(r.ref.Receives) + len(r.ref.Reads)
	r.say(stream, in.cuts)
	r.ref.Feed(stream)
	r.compare(in.end, posted, true)
}

// compare ends the connection and checks the results, including what the endpoint has
// sent, if that is readable.
func (r *rig) compare(end byte, posted int, readable bool) {
	r.bystander(1)
	if r.ref.Over {
		r.broken()
	} else {
		r.until("the answers", func() bool { return !readable || r.answered(r.main.peer.got()) })
		if !r.sockets {
			r.done(r.main.poll())
			if len(r.main.events) > 0 {
				r.t.Fatalf("the connection ended: %+v", <-r.main.events)
			}
		}
		r.leave(end)
	}
	got := r.main.poll()
	r.once(got, posted)
	r.done(got)
	r.until("the peer's end", r.gone)
	if readable {
		r.sent(r.main.peer.got())
	}
	if at, where := r.memory.differs(); at >= 0 {
		r.t.Fatalf("byte %d %s is not as it should be", at, where)
	}
	r.bystander(2)
}

// broken checks the end of a connection whose peer was at fault.
func (r *rig) broken() {
	r.until(fmt.Sprintf("the end, with one of %v", r.ref.Wrong), func() bool { return len(r.main.events) == 1 })
	ev := <-r.main.events
	var e *hca.Error
	if ev.Kind != hca.EventBroken || !errors.As(ev.Err, &e) || e.Code != hca.Broken || e.Detail == "" {
		r.t.Fatalf("the connection ended with %+v", ev)
	}
}

// leave ends a connection that lives.
func (r *rig) leave(how byte) {
	want, graceful := hca.EventDisconnected, false
	switch how % 4 {
	case 0:
		if !r.ref.End() {
			want = hca.EventBroken
		}
		_ = r.main.peer.Close()
	case 1:
		r.must(r.main.qp.Disconnect(false))
	case 2:
		// Unanswered reads would delay its end.
		if graceful = true; len(r.ref.Reads) > 0 {
			want = hca.EventBroken
		}
		r.must(r.main.qp.Disconnect(true))
		if len(r.ref.Reads) == 0 {
			r.until("the graceful end", func() bool { return len(r.main.events) == 1 })
		}
		_ = r.main.peer.Close()
	case 3:
		r.must(r.main.qp.Close())
	}
	r.until("the end", func() bool { return len(r.main.events) == 1 })
	if ev := <-r.main.events; ev.Kind != want {
		r.t.Fatalf("the connection ended with %+v, want %v (graceful: %v)", ev, want, graceful)
	}
}

// once fails unless each post has one entry.
func (r *rig) once(got []hca.WC, posted int) {
	seen := make([]int, posted+1)
	for _, wc := range got {
		if wc.ID == 0 || wc.ID > uint64(posted) {
			r.t.Fatalf("an entry that belongs to nothing: %+v", wc)
		}
		seen[wc.ID]++
	}
	for id, n := range seen[1:] {
		if n != 1 {
			r.t.Fatalf("%d of %d completed %d times: %+v", id+1, posted, n, got)
		}
	}
}

// done compares the entries with the reference's completions. Other entries must be
// flushed.
func (r *rig) done(got []hca.WC) {
	r.t.Helper()
	left := slices.DeleteFunc(slices.Clone(r.ref.Done), func(d reference.Done) bool { return d.ID == 0 })
	for _, wc := range got {
		i := slices.IndexFunc(left, func(d reference.Done) bool { return d.ID == wc.ID })
		if i < 0 {
			if wc.Status != hca.StatusFlushed {
				r.t.Fatalf("%+v, and it should be flushed", wc)
			}
			continue
		}
		// Of one kind they come in order.
		for _, d := range left[:i] {
			if (d.How == "read") == (left[i].How == "read") && d.How != "bad answer" {
				r.t.Fatalf("%+v came before %+v", wc, d)
			}
		}
		if !matches(left[i], wc) {
			r.t.Fatalf("%+v, want %+v", wc, left[i])
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		r.t.Fatalf("missing: %+v", left)
	}
}

func matches(d reference.Done, wc hca.WC) bool {
	want := map[string]hca.WC{
		"received":    {Op: hca.OpRecv, Len: uint64(d.Len)},
		"invalidated": {Op: hca.OpRecvInvalidate, Len: uint64(d.Len), RKey: hca.Key(d.Key)},
		"immediate":   {Op: hca.OpRecvWriteImm, Len: uint64(d.Len), Imm: d.Imm},
		"too long":    {Op: hca.OpRecv, Status: hca.StatusLocalLength},
		"refused":     {Op: hca.OpRecv, Status: hca.StatusLocalProtection},
		"read":        {Op: wc.Op, Len: uint64(d.Len)},
		"bad answer":  {Op: wc.Op, Status: hca.StatusBadResponse},
		"no access":   {Op: wc.Op, Status: hca.StatusRemoteAccess},
		"unaccepted":  {Op: wc.Op, Status: hca.StatusRemoteInvalid},
	}[d.How]
	wc.ID, wc.Owner, wc.Vendor, wc.Flags = 0, nil, 0, 0
	return wc == want
}
