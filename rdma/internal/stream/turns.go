package stream

import "slices"

// Enter waits for a turn of a side, until refuse returns an error; nil refuses nothing. What refuse depends on changes
// together with a Wake of the side. Calls have their turns in the order in which they came: one that writes all the time
// takes its next turn behind those that wait.
func (s *Sides[E]) Enter(side *Side, refuse func() error) error {
	if side.busy || len(side.queue) > 0 {
		if err := side.wait(refuse); err != nil {
			return err
		}
	}
	side.busy = true
	return nil
}

// wait is for a call that has to wait for others.
func (side *Side) wait(refuse func() error) (err error) {
	side.number++
	mine := side.number
	side.queue = append(side.queue, mine)
	for side.busy || side.queue[0] != mine {
		if refuse != nil {
			if err = refuse(); err != nil {
				break
			}
		}
		side.turns.Wait()
	}
	i := slices.Index(side.queue, mine)
	side.queue = slices.Delete(side.queue, i, i+1)
	if err != nil && i == 0 && !side.busy { // for the one behind it, which may wait for nothing else
		side.turns.Broadcast()
	}
	return err
}

// Exit ends a turn.
func (s *Sides[E]) Exit(side *Side) {
	side.busy = false
	if len(side.queue) > 0 {
		side.turns.Broadcast() // only the oldest goes on, and Signal may wake another
	}
}
