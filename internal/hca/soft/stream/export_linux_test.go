package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Socket is the descriptor of a queue pair that is connected over TCP.
func Socket(q hca.QP) int { return q.(*core.QP).Transport().(*Conn).w.(*socketWire).fd }
