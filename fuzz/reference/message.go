package reference

import (
	"encoding/binary"
	"slices"
)

func (e *Endpoint) write(s Segment) {
	if !e.tagged {
		e.written = 0
	}
	if len(s.Payload) > 0 { // nothing is looked up for nothing
		dst := e.find(s.STag, s.TO, len(s.Payload), func(r *Region) bool { return r.Write }, [4]string{"1/1/0x00", "1/1/0x02", "0/1/0x02", "1/1/0x01"})
		if e.Over {
			return
		}
		copy(dst, s.Payload)
	}
	if !e.Over {
		e.written += len(s.Payload)
		e.tagged, e.taggedOp = !s.Last, s.Op
	}
}

func (e *Endpoint) readRequest(s Segment) {
	if s.MSN != e.requests+1 {
		e.refuse("1/2/0x03")
	}
	b := s.Payload
	size, stag, to := binary.BigEndian.Uint32(b[12:]), binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint64(b[20:])
	if to+uint64(size) < to {
		e.refuse("0/1/0x04")
	}
	if size > 0 {
		e.find(stag, to, int(size), func(r *Region) bool { return r.Read }, [4]string{"0/1/0x00", "0/1/0x03", "0/1/0x02", "0/1/0x01"})
	}
	if e.Over {
		return
	}
	e.requests++
	e.Answers = append(e.Answers, Answer{STag: binary.BigEndian.Uint32(b), TO: binary.BigEndian.Uint64(b[4:]), Size: int(size)})
}

func (e *Endpoint) atomicRequest(s Segment) {
	if s.MSN != e.requests+1 {
		e.refuse("1/2/0x03")
	}
	b := s.Payload
	op, stag, to := b[3]&15, binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint64(b[12:])
	if op != 0 && op != 2 {
		e.refuse("0/2/0x06")
	}
	if to%8 != 0 {
		e.refuse("0/2/0x07")
	}
	if to+8 < to {
		e.refuse("0/1/0x04")
	}
	word := e.find(stag, to, 8, func(r *Region) bool { return r.Atomic }, [4]string{"0/1/0x00", "0/1/0x03", "0/1/0x02", "0/1/0x01"})
	if e.Over {
		return
	}
	e.requests++
	old := binary.NativeEndian.Uint64(word)
	var v [4]uint64 // operand, mask, compare, its mask
	for i := range v {
		v[i] = binary.BigEndian.Uint64(b[20+8*i:])
	}
	e.Answers = append(e.Answers, Answer{Atomic: true, STag: binary.BigEndian.Uint32(b[4:]), Value: old})
	switch {
	case op == 0:
		binary.NativeEndian.PutUint64(word, add(old, v[0], v[1]))
	case old&v[3] == v[2]&v[3]:
		binary.NativeEndian.PutUint64(word, old&^v[1]|v[0]&v[1])
	}
}

// add adds the fields of two words: each 1 in the mask ends a field, at its top.
func add(a, b, mask uint64) (sum uint64) {
	carry := uint64(0)
	for i := range 64 {
		bit := a>>i&1 + b>>i&1 + carry
		sum |= bit & 1 << i
		carry = bit >> 1
		if mask>>i&1 == 1 {
			carry = 0
		}
	}
	return sum
}

func (e *Endpoint) readResponse(s Segment) {
	if len(e.Reads) == 0 {
		e.refuse("0/2/0x06", "1/1/0x00")
	}
	if e.Over {
		return
	}
	r := &e.Reads[0]
	n := len(s.Payload)
	if r.Atomic {
		e.refuse("0/2/0x06", "1/1/0x00")
	}
	if s.STag != r.STag {
		e.refuse("1/1/0x00")
	}
	if s.TO != r.TO+uint64(r.off) || n > len(r.Sink)-r.off || s.Last != (r.off+n == len(r.Sink)) {
		e.refuse("1/1/0x00", "1/1/0x01")
	}
	if e.Over {
		e.badAnswer()
		return
	}
	r.off += copy(r.Sink[r.off:], s.Payload)
	e.tagged, e.taggedOp = !s.Last, s.Op
	if s.Last {
		e.answered()
	}
}

func (e *Endpoint) answered() {
	r := e.Reads[0]
	e.Done = append(e.Done, Done{ID: r.ID, How: "read", Len: len(r.Sink)})
	e.Reads = e.Reads[1:]
}

// badAnswer ends the oldest request, whose answer does not fit.
func (e *Endpoint) badAnswer() {
	e.Done = append(e.Done, Done{ID: e.Reads[0].ID, How: "bad answer"})
	e.Reads = e.Reads[1:]
}

func (e *Endpoint) atomicResponse(s Segment) {
	if s.MSN != e.answers+1 {
		e.refuse("1/2/0x03")
	}
	if len(e.Reads) == 0 {
		e.refuse("0/2/0x06")
	}
	if e.Over {
		return
	}
	if r := e.Reads[0]; !r.Atomic || r.STag != binary.BigEndian.Uint32(s.Payload) {
		e.refuse("0/2/0x06")
		e.badAnswer()
		return
	}
	e.answers++
	binary.NativeEndian.PutUint64(e.Reads[0].Sink, binary.BigEndian.Uint64(s.Payload[4:]))
	e.answered()
}

// message is a Send of any kind, or Immediate Data.
func (e *Endpoint) message(s Segment) {
	imm := s.Op == Immediate || s.Op == ImmediateSE
	if s.MSN != e.sends+1 {
		e.refuse("1/2/0x03")
	}
	inv := s.Op == SendInv || s.Op == SendSEInv // the field means nothing otherwise
	if e.cur != nil && (imm || s.Op != e.op || inv && s.STag != e.inv) {
		e.refuse("0/2/0x06")
	}
	if s.MO != e.off {
		e.refuse("1/2/0x04")
	}
	if e.cur == nil && len(e.Receives) == 0 {
		e.refuse("1/2/0x02")
	}
	if e.Over {
		return
	}
	if e.cur == nil {
		e.cur = &e.Receives[0]
		e.Receives = e.Receives[1:]
	}
	if imm {
		e.received(Done{How: "immediate", Len: e.written, Imm: binary.BigEndian.Uint32(s.Payload[4:])})
		return
	}
	e.op, e.inv = s.Op, s.STag
	if len(s.Payload) > len(e.cur.Room)-int(e.off) {
		e.received(Done{How: "too long"})
		e.refuse("1/2/0x05")
		return
	}
	e.off += uint32(copy(e.cur.Room[e.off:], s.Payload))
	if !s.Last {
		return
	}
	if !inv {
		e.received(Done{How: "received", Len: int(e.off)})
		return
	}
	i := slices.IndexFunc(e.Regions, func(r *Region) bool { return r.STag == s.STag && !r.dead })
	if i < 0 || !e.Regions[i].Window || e.Regions[i].Foreign {
		e.received(Done{How: "refused"})
		if i < 0 || !e.Regions[i].open() {
			e.refuse("0/2/0x09")
		} else {
			e.refuse("0/1/0x09")
		}
		return
	}
	e.Regions[i].dead = true
	e.received(Done{How: "invalidated", Len: int(e.off), Key: s.STag})
}

func (e *Endpoint) received(d Done) {
	d.ID = e.cur.ID
	e.Done = append(e.Done, d)
	e.cur, e.off = nil, 0
	e.sends++
}
