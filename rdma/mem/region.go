package mem

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// alive is the bit of Region.live beside the rights.
const alive = 1 << 8

// Region is registered memory (uDAPL: LMR; verbs: memory region). Make one with
// rdma.Zone.Alloc, Register or RegisterAgain. All methods may be called
// concurrently.
type Region struct {
	number uint64 // in errors
	addr   uint64
	lkey   hca.Key
	rkey   atomic.Uint32 // 0 without remote rights
	rights atomic.Uint32
	// live holds alive and the rights until Free, and is 0 after it: a post needs one load to
	// check both.
	live   atomic.Uint32
	zone   uint64 // the number of domain
	domain *domain
	mr     hca.MR
	memory *memory
	fault  *hca.Error // of a slice out of range: see outOfRange

	mu     sync.Mutex   // serialises Free and Modify
	copies sync.RWMutex // ReadAt and WriteAt have it; the end of the region waits for them
}

// Addr is the address that segments and peers use for the first byte (uDAPL:
// registered_address).
func (r *Region) Addr() uint64 { return r.addr }

// Len is the number of bytes registered (uDAPL: registered_size): whole pages for memory of
// the library, at least the requested size; exactly its bytes for a slice, since its pages
// also hold other data.
func (r *Region) Len() int { return len(r.memory.bytes) }

// PageSize is the size of the pages that the memory consists of, in bytes. For
// a slice it is the system's.
func (r *Region) PageSize() int { return r.memory.pageSize }

// Rights is the set of rights that the region is registered with (uDAPL: dat_lmr_query, mem_priv).
func (r *Region) Rights() Rights { return Rights(r.rights.Load()) }

// ZoneID is the number of the region's zone, as String and errors name it. Regions of one
// zone have the same number. It never changes.
func (r *Region) ZoneID() uint64 { return r.zone }

// Key is the local key (uDAPL: lmr_context).
func (r *Region) Key() Key { return Key(r.lkey) }

// RemoteKey is the key for peers (uDAPL: rmr_context; iWARP: STag). It is 0 if
// the region has no remote right.
func (r *Region) RemoteKey() Key { return Key(r.rkey.Load()) }

// Remote is the whole region as peers name it.
func (r *Region) Remote() Remote { return r.All().Remote() }

// All is the whole region.
func (r *Region) All() Slice { return Slice{r, 0, r.Len()} }

// Slice is the part of n bytes that begins at off. If that is not inside the
// region, the result is not valid: see [Slice.Err].
func (r *Region) Slice(off, n int) Slice { return r.All().Slice(off, n) }

// Bytes is the memory itself, not a copy; nil once the region has been freed.
// The package comment says when the program may access it, and what happens to
// a use after Free.
func (r *Region) Bytes() []byte {
	if r.live.Load() == 0 {
		return nil
	}
	return r.memory.bytes
}

// Freed reports whether Free has revoked the region.
func (r *Region) Freed() bool { return r.live.Load() == 0 }

// ReadAt copies out of the region. It implements io.ReaderAt: at the end it returns io.EOF.
// It needs no right. Free waits until ReadAt has returned. After Free it returns
// rdma.ErrClosed. If pages of the program's slice have become unreadable, it returns
// rdma.ErrPrivileges, with part of p overwritten.
func (r *Region) ReadAt(p []byte, off int64) (int, error) {
	b, err := r.hold("read from", off)
	if err != nil {
		return 0, err
	}
	defer r.release()
	if off >= int64(len(b)) {
		return 0, io.EOF
	}
	n, err := r.copy("read", p, b[off:])
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// WriteAt copies into the region. It implements io.WriterAt: bytes that do not fit are not
// copied, and the error is rdma.ErrLength. It needs no right. Free waits until WriteAt has
// returned. After Free it returns rdma.ErrClosed. If pages of a slice of the program cannot
// be written to any more, it returns rdma.ErrPrivileges, with part of p copied.
func (r *Region) WriteAt(p []byte, off int64) (int, error) {
	b, err := r.hold("write to", off)
	if err != nil {
		return 0, err
	}
	defer r.release()
	n := 0
	if off < int64(len(b)) {
		if n, err = r.copy("write", b[off:], p); err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, hca.NewError(hca.Length, "write to", r.name(),
			fmt.Sprintf("%d bytes at offset %d do not fit", len(p), off))
	}
	return n, nil
}

// copy copies as many bytes as fit. Pages of the program's slice may have lost the right to
// it.
func (r *Region) copy(op string, dst, src []byte) (n int, err error) {
	if r.memory.lasting() {
		return copy(dst, src), nil
	}
	for n < len(dst) && n < len(src) {
		k, err := shm.TryCopy(dst[n:], src[n:])
		if err != nil {
			return n, hca.Wrap(hca.Privileges, op, r.String(), "its pages do not allow it any more, or those of the other slice", err)
		}
		n += k
	}
	return n, nil
}

// hold has Free wait for a copy. The caller releases it.
func (r *Region) hold(op string, off int64) ([]byte, error) {
	if off < 0 {
		return nil, hca.NewError(hca.Invalid, op, r.name(), fmt.Sprintf("offset %d is negative", off))
	}
	if r.live.Load() == 0 { // without waiting for a copy that Free waits for
		return nil, r.closed(op)
	}
	r.copies.RLock()
	if r.live.Load() == 0 {
		r.copies.RUnlock()
		return nil, r.closed(op)
	}
	return r.memory.bytes, nil
}

// release ends hold.
func (r *Region) release() { r.copies.RUnlock() }

func (r *Region) closed(op string) error {
	return hca.NewError(hca.Closed, op, r.name(), "the region has been freed")
}

// Free revokes both keys (uDAPL: dat_lmr_free). When it returns, no adapter
// accesses the memory any more; operations that are still posted complete
// with a protection error. It waits only for copies in progress. The memory
// itself is released when the last region over it is freed: pages of the
// library go back to the system, and a slice is no longer pinned.
//
// Free fails with rdma.ErrInUse while a window is bound to the region, and then nothing has
// changed. Freeing twice is harmless.
func (r *Region) Free() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live.Load() == 0 {
		return nil
	}
	if err := r.mr.Close(); err != nil {
		return hca.Named(err, "free", r.name())
	}
	r.retire()
	return nil
}

// Modify gives the region other rights under the same keys (verbs: ibv_rereg_mr; uDAPL has no
// such call). RemoteKey is 0 while there is no remote right. Modify waits for copies in
// progress. When it returns, no access continues that only the former rights allowed; posted
// operations that need those rights complete with a protection error.
//
// Modify fails with rdma.ErrUnsupported on devices, with rdma.ErrInUse while a window is
// bound to the region, with rdma.ErrPrivileges if the pages do not allow the rights, and with
// rdma.ErrClosed after Free. After an error nothing has changed. Peers of the same host
// access a modified region through this process, not directly, which is slower than before; a large
// message from it to such a peer that has begun may fail, and with it the connection.
func (r *Region) Modify(rights Rights) error {
	const op = "modify"
	if err := checkRights(rights); err != nil {
		return hca.Named(err, op, r.name())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live.Load() == 0 {
		return r.closed(op)
	}
	m, ok := r.mr.(hca.Modifier)
	if !ok {
		return hca.NewError(hca.Unsupported, op, r.name(), "the adapter cannot change the rights of a region; register the memory again")
	}
	if err := m.Modify(hca.Access(rights)); err != nil {
		return hca.Named(err, op, r.name())
	}
	r.rights.Store(uint32(rights))
	r.rkey.Store(uint32(r.mr.RKey()))
	r.live.Store(alive | uint32(rights))
	return nil
}

// retire ends a region whose registration is gone. r.mu is held.
func (r *Region) retire() {
	r.live.Store(0)
	r.copies.Lock() // the memory may be the program's to reuse after this
	r.domain.forget(r)
	r.copies.Unlock()
	r.memory.release()
}

// name is the region in errors.
func (r *Region) name() string {
	return fmt.Sprintf("region %d of %s (%d bytes)", r.number, r.domain, r.Len())
}

// String returns the number, the zone, the size and the rights, for logs and errors.
func (r *Region) String() string {
	return fmt.Sprintf("region %d of %s (%d bytes, %s)", r.number, r.domain, r.Len(), r.Rights())
}

// end is Free for a zone that goes away.
func (r *Region) end(gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live.Load() == 0 {
		return
	}
	if !gone {
		r.mr.Close()
	}
	r.retire()
}
