package rdmatest

import (
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// SetNth makes the n-th call c from now on fail, once, with an error of that code. Each SetNth counts by itself; of
// two that are due at the same call, the later one takes the next.
func (f *Faults) SetNth(c Call, code rdma.Code, n int) {
	f.add(&nthCall{call: c, code: code, which: Nth(n)})
}

// nthCall is a call of SetNth, or what World.Chaos makes fail next.
type nthCall struct {
	call   Call
	code   rdma.Code
	which  Which // Nth
	chance bool  // by World.Chaos
	seen   int   // guarded by mu of its Faults, as is done
	done   bool
}

func (f *Faults) add(n *nthCall) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nth = append(f.nth, n)
}

// forget ends the calls of SetNth, or those by chance.
func (f *Faults) forget(chance bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nth = slices.DeleteFunc(f.nth, func(n *nthCall) bool { return n.chance == chance })
}

// called is a call that may fail.
type called struct {
	call Call
	err  error
	seen []*nthCall // that have counted it
	by   *nthCall   // that has made it fail, if one has
}

// draw counts a call, and decides whether it fails. The caller then calls fired, or spare.
func (f *Faults) draw(c Call) (t called) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t.call = c
	code := f.code[c]
	for _, n := range f.nth {
		if n.call != c || n.done {
			continue
		}
		n.seen++
		t.seen = append(t.seen, n)
		if code == 0 && n.which.selects(n.seen, &n.done, nil) {
			code, t.by = n.code, n
		}
	}
	if code != 0 {
		t.err = hca.NewError(code, c.String(), "adapter", "a test wants this call to fail")
	}
	return t
}

// fired counts a call that fails. The caller holds no lock of the world.
func (f *Faults) fired(t called) error {
	if t.err != nil && f.hit != nil {
		f.hit(t.call)
	}
	return t.err
}

// spare takes calls back that were not made.
func (f *Faults) spare(calls []called) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range calls {
		for _, n := range t.seen {
			n.seen--
		}
		if t.by != nil {
			t.by.done = false
		}
	}
}

// of is the error of a call, or nil.
func (f *Faults) of(c Call) error { return f.fired(f.draw(c)) }

// drawList draws for the posts of a list, up to the first that fails; good is how many do not.
func (f *Faults) drawList(n int, call func(i int) Call) (calls []called, good int) {
	for i := range n {
		t := f.draw(call(i))
		calls = append(calls, t)
		if t.err != nil {
			return calls, i
		}
	}
	return calls, n
}

// listed is the error of a list of which the adapter below was given the good ones, and accepted n. The posts behind
// one that it has refused were not made.
func (f *Faults) listed(calls []called, good, n int, err error) error {
	switch {
	case n < good:
		f.spare(calls[n+1:])
	case good < len(calls):
		return f.fired(calls[good])
	}
	return err
}
