package sharedmem

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// sockHandler and bellHandler are the connection's descriptors in the adapter's poller.
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

// The rest of a turn is the engine's.
func (s *sockHandler) Turn() bool { return false }

func (b *bellHandler) Turn() bool { return false }

func (s *sockHandler) Waits(bool) {}

func (b *bellHandler) Waits(bool) {}

func (s *sockHandler) GoOn() {}

func (b *bellHandler) GoOn() {}

// watchFDs has the poller report of the peer's bell, and of its end.
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

// unwatchFDs is the end of that. It waits for nobody: who has been told of an event may
// be in a callback of the program's.
func (c *Conn) unwatchFDs() {
	if c.bell != nil {
		_ = c.bell.SetReadDeadline(time.Unix(1, 0)) // who hears it closes it
	} else {
		c.a.Background.Poller.Remove(c.own)
	}
	c.a.Background.Poller.Remove(c.sock)
}
