package rdma

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// This file converts posted operations into work requests, with all checks. The posts have
// fast paths for the simple cases, and add the call and the connection to errors.

// segmentLists are scratch lists for posts with several pieces. The adapter copies the list
// before its post returns.
var segmentLists = sync.Pool{New: func() any { return new([]hca.Segment) }}

// gather turns pieces of local memory into segments. z is nil if the zone is
// not known yet. list takes all but the first.
func gather(first *mem.Slice, more []mem.Slice, z *Zone, need mem.Rights, limit int, list *[]hca.Segment) (local hca.Segment, rest []hca.Segment, total uint64, err error) {
	if local, err = checkedSegment(first, z, need); err != nil {
		return local, nil, 0, err
	}
	total = uint64(local.Len)
	if len(more) == 0 {
		return local, nil, total, nil
	}
	if 1+len(more) > limit {
		return local, nil, 0, hca.NewError(hca.Invalid, "", "",
			fmt.Sprintf("%d pieces, at most %d are configured (SendSegments, RecvSegments)", 1+len(more), limit))
	}
	begin := len(*list)
	for i := range more {
		seg, err := checkedSegment(&more[i], z, need)
		if err != nil {
			return local, nil, 0, err
		}
		*list = append(*list, seg)
		total += uint64(seg.Len)
	}
	return local, (*list)[begin:len(*list):len(*list)], total, nil
}

func flagError(have, allowed Flags) error {
	return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("flags %s do not apply here; %s do", have&^allowed, allowed))
}

func lengthError(n, limit uint64, of string) error {
	return hca.NewError(hca.Length, "", "", fmt.Sprintf("%d bytes, but %s has %d", n, of, limit))
}

func (sess *session) fillSend(wr *hca.SendWR, s *Send, list *[]hca.Segment) error {
	if s.Flags&^sendFlags != 0 {
		return flagError(s.Flags, sendFlags)
	}
	*wr = hca.SendWR{ID: s.Cookie, Op: hca.OpSend, Flags: hca.Flags(s.Flags & toHCA)}
	switch {
	case s.Flags&WithImmediate != 0 && s.Invalidate != 0:
		return hca.NewError(hca.Invalid, "", "", "a message can carry immediate data or invalidate a key, not both")
	case s.Flags&WithImmediate != 0:
		wr.Op, wr.Imm = hca.OpSendImm, s.Immediate
	case s.Invalidate != 0:
		wr.Op, wr.RKey = hca.OpSendInvalidate, hca.Key(s.Invalidate)
	}
	var total uint64
	var err error
	wr.Local, wr.More, total, err = gather(&s.From, s.More, sess.zone, mem.LocalRead, sess.sendSegments, list)
	if err == nil && total > sess.maxMessage {
		err = lengthError(total, sess.maxMessage, "the longest message")
	}
	return err
}

func fillRecv(wr *hca.RecvWR, r *Recv, z *Zone, limit int, list *[]hca.Segment) error {
	if r.Flags&^NoWake != 0 {
		return flagError(r.Flags, NoWake)
	}
	*wr = hca.RecvWR{ID: r.Cookie, Flags: hca.Flags(r.Flags)}
	var err error
	wr.Local, wr.More, _, err = gather(&r.Into, r.More, z, mem.LocalWrite, limit, list)
	return err
}

func (sess *session) fillWrite(wr *hca.SendWR, w *Write, list *[]hca.Segment) error {
	allowed := NoCompletion | NoWake | Fence | WithImmediate
	*wr = hca.SendWR{ID: w.Cookie, Op: hca.OpWrite, Flags: hca.Flags(w.Flags & toHCA), Remote: w.To.Addr, RKey: hca.Key(w.To.Key)}
	if w.Flags&WithImmediate != 0 {
		allowed |= Solicited
		wr.Op, wr.Imm = hca.OpWriteImm, w.Immediate
	}
	if w.Flags&^allowed != 0 {
		return flagError(w.Flags, allowed)
	}
	var total uint64
	var err error
	wr.Local, wr.More, total, err = gather(&w.From, w.More, sess.zone, mem.LocalRead, sess.sendSegments, list)
	switch {
	case err != nil:
		return err
	case !w.To.Valid():
		return remoteError(&w.To)
	case total > w.To.Length:
		return lengthError(total, w.To.Length, "the remote memory")
	case total > sess.maxTransfer:
		return lengthError(total, sess.maxTransfer, "the longest transfer")
	}
	return nil
}

func (sess *session) fillRead(wr *hca.SendWR, r *Read, list *[]hca.Segment) error {
	if r.Flags&^readFlags != 0 {
		return flagError(r.Flags, readFlags)
	}
	*wr = hca.SendWR{ID: r.Cookie, Op: hca.OpRead, Flags: hca.Flags(r.Flags), Remote: r.From.Addr, RKey: hca.Key(r.From.Key)}
	var total uint64
	var err error
	wr.Local, wr.More, total, err = gather(&r.Into, r.More, sess.zone, sess.readNeeds, sess.sendSegments, list)
	switch {
	case err != nil:
		return err
	case !r.From.Valid():
		return remoteError(&r.From)
	case r.From.Length > total:
		return lengthError(r.From.Length, total, "the local memory")
	case r.From.Length > sess.maxTransfer:
		return lengthError(r.From.Length, sess.maxTransfer, "the longest transfer")
	}
	trim(wr, uint32(r.From.Length))
	return nil
}

// trim shortens the segments to n bytes: the adapter takes the length of a read from its local
// memory.
func trim(wr *hca.SendWR, n uint32) {
	wr.Local.Len = min(wr.Local.Len, n)
	n -= wr.Local.Len
	for i := range wr.More {
		wr.More[i].Len = min(wr.More[i].Len, n)
		n -= wr.More[i].Len
	}
}

func (sess *session) fillAtomic(wr *hca.SendWR, into mem.Slice, at *mem.Remote, flags Flags) error {
	if flags&^readFlags != 0 {
		return flagError(flags, readFlags)
	}
	switch {
	case into.Err() == nil && into.Len() < 8:
		return lengthError(8, uint64(into.Len()), "the local memory")
	case !at.Valid():
		return remoteError(at)
	case at.Length < 8:
		return lengthError(8, at.Length, "the remote memory")
	case at.Addr%8 != 0:
		return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("the remote address %#x is not a multiple of 8", at.Addr))
	}
	wr.Flags, wr.Remote, wr.RKey = hca.Flags(flags), at.Addr, hca.Key(at.Key)
	into = into.Slice(0, min(8, into.Len()))
	var err error
	wr.Local, err = checkedSegment(&into, sess.zone, mem.LocalWrite)
	return err
}

func remoteError(r *mem.Remote) error {
	e := r.Err().(*hca.Error)
	return hca.NewError(hca.Invalid, "", "", e.Detail)
}
