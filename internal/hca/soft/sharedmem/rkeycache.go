package sharedmem

import (
	"math"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
)

// An rkey is this side's checked copy of what one of the peer's keys stands for in the peer's key directory.
type rkey struct {
	key    uint64
	record *atomic.Uint64 // holds word as long as this is valid
	word   uint64
	access hca.Access
	addr   uint64 // start of what the key covers
	size   uint64
	mem    []byte // this side's mapping of it; nil: through the kernel
	into   []byte // the same, if this side may write to it; else nil
	write  bool   // the mapping is writable
	asked  bool   // the file was requested and has not arrived
}

// rkeyCache caches the rkeys of one half of a connection. That half's gate guards it. It has memory from the first
// key on that is looked up: few connections access memory of their peer, or have theirs accessed through this side.
type rkeyCache struct{ all *rkeys }

type rkeys [64]rkey

// noRkeys are the entries of all caches without memory. Nobody writes to them.
var noRkeys rkeys

// at returns the cache entry of a key, to read it.
func (c *rkeyCache) at(key hca.Key) *rkey {
	return &c.all[(uint32(key)>>8^uint32(key))%uint32(len(c.all))]
}

// place returns the cache entry of a key, to write it.
func (c *rkeyCache) place(key hca.Key) *rkey {
	if c.all == &noRkeys {
		c.all = new(rkeys)
	}
	return c.at(key)
}

// clear forgets all keys.
func (c *rkeyCache) clear() { c.all = &noRkeys }

// lookUp finds a key in the peer's key directory for an access that needs the given right; nil if it is not
// there.
func (c *Conn) lookUp(cache *rkeyCache, key hca.Key, need hca.Access) *rkey {
	v := cache.at(key)
	if v.key == uint64(key) && v.valid() && (v.write || !writes(need)) && !v.asked {
		return v
	}
	return c.find(cache.place(key), uint32(key), need)
}

// valid reports whether the peer's record has not changed since it was copied. An empty entry has key 0, and is not valid.
func (v *rkey) valid() bool { return v.record != nil && v.record.Load() == v.word }

// writes reports whether an access with this right changes the peer's memory.
func writes(need hca.Access) bool { return need&(hca.RemoteWrite|hca.RemoteAtomic) != 0 }

// find reads a key's record. A key without any remote right serves only messages that are fetched from its memory; it
// gives no remote access, and nothing is mapped for such an access.
func (c *Conn) find(v *rkey, key uint32, need hca.Access) *rkey {
	var r keydir.Record
	if first, word, ok := r.Read(c.peer.directory.Bytes(), key); ok {
		*v = rkey{key: uint64(key), record: first, word: word, access: hca.Access(r.Access) &^ c.peer.refuses, addr: r.Addr, size: r.Len}
		if c.accept(v, &r, key, need) {
			return v
		}
	}
	*v = rkey{}
	return nil
}

// accept checks a record, in which the peer chose every number, and finds its memory. It returns false if the record
// is of no use on this connection.
func (c *Conn) accept(v *rkey, r *keydir.Record, key uint32, need hca.Access) bool {
	base, whole, file, off := r.Base, r.Size, peerfiles.ID{Device: r.Device, Inode: r.File}, r.Offset
	if r.Zone != c.peer.zone || r.Only != 0 && r.Only != c.peer.conn || v.addr+v.size < v.addr {
		return false
	}
	if need&hca.RemoteAll != 0 && v.access&hca.RemoteAll == 0 || need&c.peer.refuses != 0 {
		return false
	}
	write := writes(need)
	// The window's place in its region, and the region's place in whole pages of its file.
	const most = min(1<<46, math.MaxInt/2)
	// A process that is stopped in the middle of a write can finish it when it continues, when the memory may
	// already belong to another region. A mapping can be taken away from it; a copy through the kernel cannot.
	// So the kernel does not write to the library's own memory.
	kernel := c.peer.vm && !(write && r.Own != 0)
	if file.Inode == 0 || off >= most || whole >= most || v.addr < base || v.addr-base > whole || v.size > whole-(v.addr-base) {
		return kernel
	}
	first := off &^ (pageSize - 1)
	k := peerfiles.Place{File: peerfiles.File{ID: file, Write: write}, Off: int64(first), Size: roundPage(int(off - first + whole))}
	b, ask, due := c.maps.Get(k, key)
	if ask {
		c.requestFile(file, write)
	}
	if due {
		c.a.Background.Go("keys", c.sweep)
	}
	if b == nil {
		v.asked = true // look the key up again next time
		return kernel && (!write || c.maps.Never(k.File))
	}
	start := off - first + (v.addr - base)
	v.mem, v.write = b[start:start+v.size:start+v.size], write
	if write && v.access&hca.RemoteWrite != 0 {
		v.into = v.mem
	}
	return true
}

// within returns the offset of n bytes at addr. ok is false if they lie outside of the rkey or the right is
// missing.
func (v *rkey) within(addr, n uint64, need hca.Access) (off uint64, ok bool) {
	off = addr - v.addr
	return off, addr >= v.addr && off <= v.size && n <= v.size-off && v.access&need == need
}
