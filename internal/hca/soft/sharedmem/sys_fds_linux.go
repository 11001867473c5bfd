package sharedmem

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// sockHandler and bellHandler handle the connection's descriptors in the adapter's poller.
type (
	sockHandler struct{ c *Conn }
	bellHandler struct{ c *Conn }
)

func (s *sockHandler) Event(events uint32) (again bool) {
	if events&progress.AnyEnd != 0 {
		s.c.hung.Store(true)
	}
	if events&unix.EPOLLIN != 0 {
		s.c.talk()
	}
	s.c.Arm()
	return false
}

func (b *bellHandler) Event(uint32) (again bool) {
	b.c.Arm()
	return false
}

// The engine does the rest.
func (s *sockHandler) Turn() bool { return false }
func (b *bellHandler) Turn() bool { return false }
func (s *sockHandler) Waits(bool) {}
func (b *bellHandler) Waits(bool) {}
func (s *sockHandler) GoOn()      {}
func (b *bellHandler) GoOn()      {}

// watchFDs lets the poller report the peer's bell and its end.
func (c *Conn) watchFDs() error {
	p := &c.a.Background.Poller
	var sock, bell int32
	if err := p.Add(c.sock, &sockHandler{c}, &sock); err != nil {
		return err
	}
	if !c.hear() {
		if err := p.Add(c.own, &bellHandler{c}, &bell); err != nil {
			p.Remove(c.sock)
			return err
		}
		p.Modify(c.own, bell, unix.EPOLLIN)
	}
	p.Modify(c.sock, sock, progress.ArmRead)
	return nil
}

// unwatchFDs undoes watchFDs. It does not wait for running handlers: one of them may be in a callback of the
// program.
func (c *Conn) unwatchFDs() {
	if c.bell != nil {
		_ = c.bell.SetReadDeadline(time.Unix(1, 0)) // the goroutine in hear closes it
	} else {
		c.a.Background.Poller.Remove(c.own)
	}
	c.a.Background.Poller.Remove(c.sock)
}
