package sharedmem

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/shm"
)

// sockHandler and doorbellHandler handle the connection's descriptors in the adapter's poller.
type (
	sockHandler     struct{ c *Conn }
	doorbellHandler struct{ c *Conn }
)

func (s *sockHandler) Event(events uint32) (again bool) {
	if events&progress.AnyEnd != 0 {
		s.c.hungUp.Store(true)
	}
	if events&unix.EPOLLIN != 0 {
		s.c.handleSocket()
	}
	s.c.Arm()
	return false
}

func (b *doorbellHandler) Event(uint32) (again bool) {
	b.c.Arm()
	return false
}

// The engine does the rest.
func (s *sockHandler) Continue() bool      { return false }
func (b *doorbellHandler) Continue() bool  { return false }
func (s *sockHandler) SetPending(bool)     {}
func (b *doorbellHandler) SetPending(bool) {}
func (s *sockHandler) ToEngine()           {}
func (b *doorbellHandler) ToEngine()       {}

// watchFDs lets the poller report the peer's doorbell and its end.
func (c *Conn) watchFDs() error {
	p := &c.a.Background.Poller
	if err := p.Add(c.sock, &sockHandler{c}, &c.sockNumber); err != nil {
		return err
	}
	if c.group.Grouped {
		shm.CloseFD(c.own)
		c.own = -1
	} else if !c.listenDoorbell() {
		if err := p.Add(c.own, &doorbellHandler{c}, &c.bell); err != nil {
			p.Remove(c.sock)
			return err
		}
		p.Modify(c.own, c.bell, unix.EPOLLIN)
	}
	c.reportSocket()
	return nil
}

// reportSocket has the poller report the socket, also if something is there already. The socket is open: the caller holds
// sockMu, or nobody else knows the connection. A simulation looks again by itself.
func (c *Conn) reportSocket() {
	if c.p.simulation == nil {
		c.a.Background.Poller.Modify(c.sock, c.sockNumber, progress.ArmRead)
	}
}

// unwatchFDs undoes watchFDs. It does not wait for running handlers: one of them may be in a callback of the
// program.
func (c *Conn) unwatchFDs() {
	c.sockMu.Lock()
	c.at.Move(c.own, nil) // the peer has the event too, so that closing the descriptor would not remove it
	c.sockMu.Unlock()
	if c.doorbell != nil {
		_ = c.doorbell.SetReadDeadline(time.Unix(1, 0)) // the goroutine of listenDoorbell closes it
	} else if c.own >= 0 {
		c.a.Background.Poller.Remove(c.own)
	}
	c.a.Background.Poller.Remove(c.sock)
}
