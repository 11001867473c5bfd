package mailbox

import "github.com/godapl/godapl/rdma/mem"

// firstAnswer is how much memory an answer gets whose length is not known, in bytes.
const firstAnswer = 1024

// encode writes an answer of n bytes into memory of the outbox, behind room for the header. It takes
// memory as the answer needs it, not as the sender allows it. The error unmade says that there is no such answer;
// after the others there may be one.
func (p *peer[T, R]) encode(answer *R) (slot mem.Slice, memory []byte, number uint64, n int, err error) {
	b, room := p.b, p.b.answers.max
	if b.answers.codec != nil {
		room = min(p.answerMax, firstAnswer)
	}
	if slot, memory, number, err = b.out.take(headerSize+room, &p.share); err != nil {
		return mem.Slice{}, nil, 0, 0, err
	}
	panics := true
	defer func() {
		if panics {
			b.out.give(number)
		}
	}()
	n, long, err := b.answers.put(memory[headerSize:headerSize+room], answer)
	panics = false
	if err == nil && long == nil {
		return slot, memory, number, n, nil
	}
	b.out.give(number)
	switch {
	case err != nil:
		err = unmade{err}
	case len(long) > p.answerMax:
		err = unmade{errTooLong}
	default:
		if slot, memory, number, err = b.out.take(headerSize+len(long), &p.share); err == nil {
			return slot, memory, number, copy(memory[headerSize:], long), nil
		}
	}
	return mem.Slice{}, nil, 0, 0, err
}

// unmade is the error of an answer that the codec does not make, or that is too long. A codec may return any error, also
// one that means something else when it comes from the outbox.
type unmade struct{ error }

func (u unmade) Unwrap() error { return u.error }
