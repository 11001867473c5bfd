package stream

import "github.com/godapl/godapl/internal/hca/soft/core"

// RunSend runs the send half, or marks the gate for the goroutine inside.
func (c *Conn) RunSend() {
	if !c.q.Tx.Enter() {
		return
	}
	var af core.Deferred
	c.pump(&af)
	c.leave(&af)
}

// leave leaves tx. Before, it does the work that others have marked; after, what may only be done outside.
func (c *Conn) leave(af *core.Deferred) {
	for c.q.Tx.Leave() {
		c.pump(af)
	}
	af.Finish()
}

// pump starts and completes requests, within a bounded amount of work. The caller is inside tx.
func (c *Conn) pump(af *core.Deferred) {
	switch c.q.SendTurn() {
	case core.TurnSend:
		c.pumpTx(af)
	case core.TurnOver:
		c.flush(af)
	}
}
