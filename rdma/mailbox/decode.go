package mailbox

import (
	"fmt"
	"runtime/debug"
)

// decode takes the answer out of its bytes. A panic of the codec is kept for the call that asked. The call that leads must
// go on: it handles what has arrived for all calls.
func (s *Sender[T, R]) decode(c *call[R], body []byte) {
	defer func() {
		if value := recover(); value != nil {
			c.panics = &decodePanic{value, debug.Stack()}
		}
	}()
	if err := s.answers.get(&c.answer, body); err != nil {
		c.err = badAnswer(err)
	}
}

// decodePanic is a panic of Codec.Decode that goes on in another call.
type decodePanic struct {
	value any
	stack []byte // where it was
}

func (p *decodePanic) Error() string {
	return fmt.Sprintf("mailbox: Codec.Decode panicked: %v\n\n%s", p.value, p.stack)
}

// Unwrap returns the value of the panic if it is an error.
func (p *decodePanic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}
