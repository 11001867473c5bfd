package debug

import (
	"fmt"
	"time"

	"github.com/godapl/godapl/rdma"
)

// stuck is how long nothing has to move before a connection with work counts as stuck.
const stuck = 2 * time.Second

// note says what a connection waits for; "" if there is nothing to say.
func note(c *Conn, last sample) string {
	idle := c.Idle.Round(time.Second)
	switch {
	case c.Stale:
		return "the counters could not be read in time: a goroutine holds the connection"
	case c.State == rdma.StateConnecting.String():
		return "waits for the peer's answer to the request"
	case c.State == rdma.StateAccepting.String():
		return "waits for the peer to complete the connection"
	case c.State == rdma.StateDisconnecting.String():
		return fmt.Sprintf("ends when %d posted requests are complete", c.Requests)
	case c.State != rdma.StateConnected.String():
		return ""
	case !c.shared && c.Receives == 0 && last.waiting:
		return "messages of the peer find no receive: this program posts too few"
	case c.Requests > 0 && c.Idle >= stuck && last.stalled:
		return fmt.Sprintf("stuck for %v: the transport has no room, the peer or the network takes nothing", idle)
	case c.Requests > 0 && c.Idle >= stuck:
		return fmt.Sprintf("stuck for %v: %d requests wait for the peer, which may lack a receive or be stopped", idle, c.Requests)
	case c.SendDepth > 0 && c.Requests >= c.SendDepth:
		return "the send queue is full: SendDepth bounds the rate"
	case last.stalled:
		return "the transport is full at times: the peer or the network is slower"
	}
	return ""
}
