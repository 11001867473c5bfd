package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/shm"
)

// oneSided carries out a write or read directly in memory of the peer, through a mapping or through the kernel.
// If it cannot, it returns false and changes nothing; the request is then sent to the peer, which carries it
// out or reports why it cannot.
//
// It runs only when the peer has handled everything that was posted before, so that requests stay in order and
// nothing is done after a refused one. A small request is sent to the peer at once instead of waiting for that.
func (c *Conn) oneSided(r *core.SendReq, need hca.Access, budget *int, deferred *core.Deferred) (step, bool) {
	q, wr := c.q, &r.WR
	if r.Begun && !r.OneSided {
		return 0, false // in parts
	}
	write := need == hca.RemoteWrite
	if !r.OneSided {
		if r.Total > 0 && !c.reaches(wr.RKey, wr.Remote, r.Total, need) {
			return 0, false
		}
		if q.SQ.Head != q.SQ.Next {
			return stepWait, r.Total > chunkSize
		}
	}
	for r.Off < r.Total {
		if *budget <= 0 {
			return stepBudget, true
		}
		local := hca.LocalRead
		if !write {
			local = hca.LocalWrite
		}
		near, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, r.Off, min(r.Total-r.Off, shm.PieceSize), local)
		if f != core.FaultNone {
			return c.failed(r, hca.StatusLocalProtection, deferred), true
		}
		last := r.Off+uint64(len(near)) == r.Total
		how, lost := c.access(&c.out.rkeys, 0, wr.RKey, wr.Remote+r.Off, near, frail, need, last)
		switch {
		case how == accessDone:
		case lost != 0:
			q.Faulted(lost, wr.Op.String())
			return c.failed(r, hca.StatusLocalProtection, deferred), true
		case !r.OneSided:
			return 0, false
		default:
			if c.m.closeStatus[1].Load() != 0 || c.hungUp.Load() {
				c.Schedule() // the connection has ended, not the key
				return stepWait, true
			}
			// The peer repeats it. It can report a fault to its program, and knows whether the key, which has left the
			// directory, still allows the access.
			r.Off, r.Begun, r.OneSided = 0, false, false
			return 0, false
		}
		r.Begun, r.OneSided = true, true
		r.Off += uint64(len(near))
		*budget -= len(near)
	}
	r.Begun, r.OneSided = true, true
	if wr.Op == hca.OpWriteImm {
		_, flags := sendWord(wr)
		return c.startAsk(r, frame{word: wr.Imm, total: r.Total}, frameImm, flags, deferred), true
	}
	r.Done, r.Status, r.Frame = true, hca.StatusOK, c.out.requests.sent
	return stepNext, true
}

// reaches reports whether all of the peer's memory that a request names can be accessed from here. The caller is inside tx.
func (c *Conn) reaches(key hca.Key, addr, n uint64, need hca.Access) bool {
	v := c.lookUp(&c.out.rkeys, key, need)
	if v == nil {
		return false
	}
	_, ok := v.within(addr, n, need)
	return ok
}

// The result of an access.
type accessed uint8

const (
	accessDone  accessed = iota
	accessNoKey          // the key does not allow it, or is no longer valid
	accessFault          // a page fault: of the peer's memory, unless an address of this side is given
	accessLater          // the peer is changing what the key stands for
)

// access copies one piece between this side's memory and the peer's, under a key. Meanwhile the hazard slot of
// that half names the key, and a peer that revokes or changes the key waits: see the package doc. lost is the address of a
// page of this side that faulted.
func (c *Conn) access(cache *rkeyCache, half int, key hca.Key, addr uint64, near []byte, frail bool, need hca.Access, last bool) (how accessed, lost uint64) {
	write := need == hca.RemoteWrite
	v := c.lookUp(cache, key, need)
	if v == nil {
		return accessNoKey, 0
	}
	off, ok := v.within(addr, uint64(len(near)), need)
	if !ok {
		return accessNoKey, 0
	}
	slot := c.m.hazard[half]
	if !c.acquire(slot, v) {
		return accessNoKey, 0
	}
	if v.mem == nil {
		ok = c.kernelCopy(addr, near, write, last)
		slot.Leave()
		if !ok && frail {
			lost = rawmem.FirstFault(near, !write)
		}
	} else {
		far := v.mem[off : off+uint64(len(near))]
		if frail {
			lost = rawmem.Guard(func() { move(near, far, write, last) })
			ok = lost == 0
		} else {
			move(near, far, write, last)
		}
		slot.Leave()
		if !rawmem.FaultIn(near, lost) {
			lost = 0
		}
	}
	if !ok {
		return accessFault, lost
	}
	return accessDone, 0
}

// move copies a piece between two mappings.
func move(near, far []byte, write, last bool) {
	switch {
	case !write:
		shm.Copy(near, far)
	case last:
		shm.CopyLast(far, near)
	default:
		shm.Copy(far, near)
	}
}

// acquire sets the hazard slot. It returns false if the key is no longer valid or the peer has ended the
// connection.
func (c *Conn) acquire(slot *shm.Slot, v *rkey) bool {
	if !slot.Enter(v.word, v.record, v.word, c.m.order) {
		*v = rkey{} // all of it: key 0 must lead nowhere
		return false
	}
	if c.m.closeStatus[1].Load() != 0 {
		slot.Leave()
		return false
	}
	return true
}

// writeAtOnce carries out a small write to memory that is already mapped, if no request is before it in the
// queue. If it cannot, it returns false and changes nothing; the slow path reports the reason.
func (c *Conn) writeAtOnce(local hca.Segment, remote uint64, rkey hca.Key) bool {
	n := uint64(local.Len)
	v := c.out.rkeys.at(rkey)
	if n == 0 || n > shm.PieceSize || v.key != uint64(rkey) || v.mem == nil || !v.write {
		return false
	}
	src, frail, f := core.LocalMem(c.q.PD, local, hca.LocalRead)
	off, ok := v.within(remote, n, hca.RemoteWrite)
	if f != core.FaultNone || !ok {
		return false
	}
	if !c.acquire(c.m.hazard[0], v) {
		return false
	}
	to := v.mem[off : off+n]
	if frail {
		ok = rawmem.Guard(func() { putAtOnce(to, src) }) == 0
	} else {
		putAtOnce(to, src)
	}
	c.m.hazard[0].Leave()
	return ok
}

// putAtOnce copies a small write.
func putAtOnce(to, src []byte) {
	if len(src) == 8 && rawmem.AddrOf(to)%8 == 0 {
		rawmem.StoreWord(to, src)
	} else {
		shm.CopyLast(to, src)
	}
}

// kernelCopy lets the kernel copy in one system call: a signal stops a process only at the end of the call, so that
// a process that was stopped does not write when it continues.
func (c *Conn) kernelCopy(addr uint64, near []byte, write, last bool) bool {
	if c.hungUp.Load() {
		return false // the process number may belong to another process by now
	}
	if !write {
		n, err := shm.ReadPeer(c.peer.pid, near, addr)
		return err == nil && n == len(near)
	}
	put := shm.WritePeer
	if last {
		put = shm.WritePeerLast
	}
	n, err := put(c.peer.pid, addr, near)
	return err == nil && n == len(near)
}

// oneSidedAtomic carries out an atomic in mapped memory. If it cannot, it returns false and changes nothing.
func (c *Conn) oneSidedAtomic(r *core.SendReq, deferred *core.Deferred) bool {
	q, wr := c.q, &r.WR
	if q.SQ.Head != q.SQ.Next || wr.Remote%8 != 0 {
		return false
	}
	v := c.lookUp(&c.out.rkeys, wr.RKey, hca.RemoteAtomic)
	if v == nil || v.mem == nil {
		return false
	}
	off, ok := v.within(wr.Remote, 8, hca.RemoteAtomic)
	to, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, 0, 8, hca.LocalWrite)
	if !ok || f != core.FaultNone || len(to) != 8 || rawmem.AddrOf(v.mem[off:])%8 != 0 {
		return false
	}
	slot := c.m.hazard[0]
	if !c.acquire(slot, v) {
		return false
	}
	var old uint64
	if wr.Op == hca.OpFetchAdd {
		old = rawmem.FetchAdd(v.mem[off:off+8], wr.Operand)
	} else {
		old = rawmem.CompareSwap(v.mem[off:off+8], wr.Compare, wr.Operand)
	}
	slot.Leave()
	r.Begun, r.Done, r.Status, r.Frame = true, true, hca.StatusOK, c.out.requests.sent
	if at := rawmem.TryPut(to, old, frail); at != 0 {
		q.Faulted(at, wr.Op.String())
		c.failed(r, hca.StatusLocalProtection, deferred)
	}
	return true
}
