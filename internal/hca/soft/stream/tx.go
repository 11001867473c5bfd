package stream

import "github.com/godapl/godapl/internal/hca/soft/core"

// RunSend does what there is to do on the sending half, or leaves word for whoever is at it.
func (c *Conn) RunSend() {
	if !c.q.Tx.Enter() {
		return
	}
	var af core.Deferred
	c.pump(&af)
	c.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (c *Conn) leave(af *core.Deferred) {
	for c.q.Tx.Leave() {
		c.pump(af)
	}
	af.Finish()
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
func (c *Conn) pump(af *core.Deferred) {
	switch c.q.SendTurn() {
	case core.TurnSend:
		c.pumpTx(af)
	case core.TurnOver:
		c.flush(af)
	}
}
