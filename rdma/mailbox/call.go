package mailbox

// want is what a call waits for.
type want uint8

const (
	wantAsk    want = iota + 1 // a place among the asks
	wantTurn                   // room in the window
	wantPlaced                 // its value is in the mailbox
	wantAnswer                 // its answer
	wantEnd                    // the last completion of the connection
	wantGone                   // no message that has not left
)

// A call is a Send, an Ask or a Flush. Calls are used again.
type call[R any] struct {
	wake   chan struct{} // one place
	woken  bool          // there is something in it, and the call has not run since
	want   want
	parked int    // where it is in Sender.parked
	seq    uint64 // number of its value, from 1; of a Flush, of the latest value before it
	flush  bool
	id     uint64 // of an ask
	done   bool   // the answer is there, or an error in its place
	kept   bool   // it is a Pending's, which nobody has waited for
	handed bool   // it went the short way, and waits for nothing but wake
	answer R
	err    error
	panics *decodePanic // of the codec, in place of answer and err

	prev, next *call[R] // in its queue
}

// wakeCall wakes a call, unless it has been woken already. The caller holds mu.
func (s *Sender[T, R]) wakeCall(c *call[R]) {
	if !c.woken {
		c.woken = true
		s.awake++
		c.wake <- struct{}{}
	}
}

// settle is for a call that runs: it needs no waking any more. The caller holds mu; taken says that
// what was in wake is not there any more.
func (s *Sender[T, R]) settle(c *call[R], taken bool) {
	if c.woken {
		c.woken = false
		s.awake--
		if !taken {
			<-c.wake
		}
	}
}

// queue is a list of calls, oldest first.
type queue[R any] struct{ first, last *call[R] }

func (q *queue[R]) push(c *call[R]) {
	c.prev, c.next = q.last, nil
	if q.last != nil {
		q.last.next = c
	} else {
		q.first = c
	}
	q.last = c
}

func (q *queue[R]) remove(c *call[R]) {
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		q.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	} else {
		q.last = c.prev
	}
	c.prev, c.next = nil, nil
}

// newCall takes a call that is not in use. The caller holds mu.
func (s *Sender[T, R]) newCall() *call[R] {
	if n := len(s.spare); n > 0 {
		c := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return c
	}
	return &call[R]{wake: make(chan struct{}, 1)}
}

// drop gives a call back. The caller holds mu.
func (s *Sender[T, R]) drop(c *call[R]) {
	s.settle(c, false)
	var none R
	c.done, c.flush, c.handed, c.err, c.panics, c.answer, c.seq, c.id, c.want = false, false, false, nil, nil, none, 0, 0, 0
	s.spare = append(s.spare, c)
}
