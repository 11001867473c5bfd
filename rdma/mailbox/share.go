package mailbox

import (
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// share is the memory of an outbox that the answers to one sender have, in bytes. It is guarded by the
// outbox.
type share struct{ used int }

// admit checks that a sender whose answers have memory already leaves as much to the others as it
// would have itself. So one sender that takes no answers has half of the memory at most, and n of them
// leave a part of n + 1. The caller holds mu.
func (o *outbox) admit(s *share, bytes int) error {
	if o.fits(s, bytes) {
		return nil
	}
	o.collect()
	o.shrink()
	if o.fits(s, bytes) {
		return nil
	}
	return fmt.Errorf("the answers to this sender have %d bytes, all answers %d of %d (Config.AnswerMemory): %w",
		s.used, o.used, o.limit, rdma.ErrResources)
}

// fits is always true for a sender that has nothing: the limit is checked where memory is taken. For a
// slot that is there already, only the answers of the senders count; the other slots of their chunks
// are free.
func (o *outbox) fits(s *share, bytes int) bool {
	if s == nil || s.used == 0 {
		return true
	}
	taken := o.used
	if k := classOf(bytes); k < len(o.classes) && len(o.classes[k].free) > 0 {
		taken = o.owned
	}
	return s.used+bytes <= o.limit-taken
}

// own notes whose slot it is.
func (o *outbox) own(number uint64, s *share) {
	if s != nil {
		owner, bytes := o.owner(number)
		*owner = s
		s.used += bytes
		o.owned += bytes
	}
}

// disown takes it back.
func (o *outbox) disown(number uint64) {
	if owner, bytes := o.owner(number); *owner != nil {
		(*owner).used -= bytes
		o.owned -= bytes
		*owner = nil
	}
}

// owner is where the owner of a slot is noted, and the size of the slot.
func (o *outbox) owner(number uint64) (owner **share, bytes int) {
	if k := number >> 32; k < uint64(len(o.classes)) {
		return &o.classes[k].owners[uint32(number)>>8][number&0xff], smallest << k
	}
	i := uint32(number)
	return &o.longOwners[i], o.long[i].Len()
}
