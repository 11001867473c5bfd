package debug

import (
	"fmt"
	"time"

	"github.com/godapl/godapl/rdma"
)

// stuck is how long nothing has to move before a connection with work counts as stuck.
const stuck = 2 * time.Second

// note says what a connection waits for; "" if there is nothing to say. What goes on now comes first. What looks
// have seen is for what comes and goes.
func note(c *Conn, last sample) string {
	switch {
	case c.Stale:
		return "could not be looked at: a goroutine holds the connection"
	case c.State == rdma.StateConnecting.String():
		return "waits for the peer's answer to the request"
	case c.State == rdma.StateAccepting.String():
		return "waits for the peer to complete the connection"
	case c.State == rdma.StateDisconnecting.String():
		return fmt.Sprintf("ends when %d posted requests are complete", c.Requests)
	case c.State != rdma.StateConnected.String():
		return ""
	case c.ReceiveWaitNow > 0 && c.shared:
		return lasting(c.ReceiveWaitNow) + "a message of the peer finds no receive in the shared queue: this program posts too few"
	case c.ReceiveWaitNow > 0:
		return lasting(c.ReceiveWaitNow) + "a message of the peer finds no receive: this program posts too few"
	case c.SendStallNow > 0:
		return lasting(c.SendStallNow) + "the transport has no room: the peer or the network takes nothing"
	case c.waits != "":
		return lasting(c.busy) + c.waits
	case c.Requests > 0 && c.busy >= stuck:
		return fmt.Sprintf("%s%d requests wait for the peer, which may lack a receive or be stopped", lasting(c.busy), c.Requests)
	case last.waiting:
		return "messages of the peer find no receive at times: this program posts too few, or too late"
	case c.SendDepth > 0 && c.Requests >= c.SendDepth:
		return "the send queue is full: SendDepth bounds the rate"
	case last.stalled:
		return "the transport is full at times: the peer or the network is slower"
	}
	return ""
}

// lasting begins the note about what has lasted for d: it is worth a number only if that is long.
func lasting(d time.Duration) string {
	if d < stuck {
		return ""
	}
	return fmt.Sprintf("stuck for %v: ", d.Round(time.Second))
}
