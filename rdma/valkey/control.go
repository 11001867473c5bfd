package valkey

import "github.com/godapl/godapl/rdma"

// due are the messages that are to be sent, each as soon as there is a place for it.
type due uint8

const (
	dueRegister due = 1 << iota // this side's buffer
	dueQuestion                 // the client asks for the server's features
	dueAnswer                   // the server's features, of the group that was asked for
	dueChoice                   // the client's features
	dueBeat                     // a sign of life
)

// update sends what is due. The caller holds mu.
func (c *Conn) update() {
	for c.due != 0 && !c.ending() && c.ctl.under() < controlDepth {
		what := c.due & -c.due
		c.due &^= what
		if err := c.message(c.messageOf(what)); err != nil {
			c.fail(err)
		}
	}
}

func (c *Conn) messageOf(what due) message {
	switch what {
	case dueRegister:
		r := c.l.buffer.Remote()
		return message{op: register, address: r.Addr, length: uint32(r.Length), key: uint32(r.Key)}
	case dueAnswer:
		return message{op: getFeatures, group: c.group}
	case dueChoice:
		return message{op: setFeatures} // there are none to choose
	case dueBeat:
		return message{op: keepAlive}
	default:
		return message{op: getFeatures}
	}
}

// message sends a message.
func (c *Conn) message(m message) error {
	from := c.l.control(int(c.ctl.posted))
	b, err := bytesOf(from)
	if err != nil {
		return err
	}
	m.put(b)
	c.ctl.posted++
	c.served = 0
	// If there may be no place for the next message, its completion must wake.
	flags := rdma.NoWake
	if c.ctl.under() > controlDepth/2 {
		flags = 0
	}
	return c.rc.PostSend(rdma.Send{From: from, Cookie: c.cookie(), Flags: flags})
}

// keepAlive is the function of a timer.
func (c *Conn) keepAlive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending() {
		return
	}
	c.due |= dueBeat
	c.update()
	c.beat.Reset(c.l.cfg.KeepAlive)
}
