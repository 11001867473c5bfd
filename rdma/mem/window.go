package mem

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// Window lends a part of a region to peers under a key of its own (uDAPL: RMR; verbs: memory
// window). Make one with rdma.Zone.NewWindow; bind it with rdma.Endpoint.PostBind or
// rdma.Conn.Bind, which take effect in the order of posts. Each bind creates a new key and
// revokes the former one. The software adapter draws keys at random; devices change the last 8
// bits, so that a peer can guess the next key. All methods may be called concurrently.
type Window struct {
	number uint64 // in errors
	mw     hca.MW
	kind   WindowKind
	domain *domain

	binding sync.Mutex // one Bind at a time, so that remote is of the latest post; taken before mu

	mu     sync.Mutex // never held over a post: a handler of the program may run in it, and call Free
	remote Remote
	freed  bool
}

// Kind is the scope of the window's keys, as passed to rdma.Zone.NewWindow.
func (w *Window) Kind() WindowKind { return w.kind }

// Remote is the memory of the latest bind that was posted, for peers. It is the zero Remote
// before the first bind and after an unbind. Peers may use it after the bind has completed; a
// later send on the same endpoint may carry it to them.
func (w *Window) Remote() Remote {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.remote
}

// Free revokes the window, bound or not (uDAPL: dat_rmr_free). When it returns,
// no peer has access through it. Freeing twice is harmless.
func (w *Window) Free() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.freed {
		return nil
	}
	if err := w.mw.Close(); err != nil {
		return hca.Named(err, "free", w.String())
	}
	w.freed, w.remote = true, Remote{}
	w.domain.forgetWindow(w)
	return nil
}

// String returns the number and the zone, for logs and errors.
func (w *Window) String() string { return fmt.Sprintf("window %d of %s", w.number, w.domain) }

// end is Free for a zone that is being closed.
func (w *Window) end(gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.freed && !gone {
		w.mw.Close()
	}
	w.freed, w.remote = true, Remote{}
}

// Bind checks a bind of w to s and posts it through post. Package rdma adds the call and the object to errors. An empty slice unbinds. closed allows a
// bind without any right of a peer, which opens nothing. The result is what the
// window then covers.
func (d *domain) Bind(w *Window, s Slice, rights Rights, closed bool, post func(*hca.Bind) error) (Remote, error) {
	w.binding.Lock()
	defer w.binding.Unlock()
	if post == nil {
		return Remote{}, hca.NewError(hca.Invalid, "", "", "there is no post")
	}
	if w.isFreed() {
		return Remote{}, hca.NewError(hca.Closed, "", "", w.String()+" has been freed")
	}
	if w.domain != d {
		return Remote{}, hca.NewError(hca.Protection, "", "", fmt.Sprintf("%s is not of %s, as the endpoint is", w, d))
	}
	if err := s.Err(); err != nil {
		return Remote{}, err
	}
	b := &hca.Bind{MW: w.mw}
	if s.n > 0 {
		need, err := bindNeeds(rights)
		if err != nil {
			return Remote{}, err
		}
		if _, ok := s.segment(d, need); !ok {
			return Remote{}, s.refusal(d, need)
		}
		if rights&RemoteAll == 0 && !closed {
			return Remote{}, hca.NewError(hca.Invalid, "", "",
				fmt.Sprintf("the rights are %q, which give a peer nothing; name a remote right, or unbind with an empty slice", rights))
		}
		b.MR, b.Addr, b.Len, b.Access = s.region.mr, s.Addr(), uint64(s.n), hca.Access(rights&RemoteAll)
	}
	if err := post(b); err != nil {
		return Remote{}, err
	}
	var remote Remote
	if s.n > 0 {
		remote = Remote{Key: Key(b.Key), Addr: b.Addr, Length: b.Len}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.freed {
		w.remote = remote
	}
	return remote, nil
}

func (w *Window) isFreed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.freed
}

// bindNeeds is the set of local rights that the region needs for a bind.
func bindNeeds(rights Rights) (Rights, error) {
	if err := checkRights(rights); err != nil {
		return 0, err
	}
	var need Rights
	if rights&(RemoteRead|RemoteAtomic) != 0 {
		need |= LocalRead
	}
	if rights&(RemoteWrite|RemoteAtomic) != 0 {
		need |= LocalWrite
	}
	return need, nil
}
