package soft

import (
	"time"

	"golang.org/x/sys/unix"
)

// shmSock and shmBell are the connection's descriptors in the adapter's poller.
type (
	shmSock struct{ c *shmConn }
	shmBell struct{ c *shmConn }
)

func (s *shmSock) event(events uint32) (again bool) {
	if events&anyEnd != 0 {
		s.c.hung.Store(true)
	}
	if events&unix.EPOLLIN != 0 {
		s.c.talk()
	}
	s.c.arm()
	return false
}

func (b *shmBell) event(uint32) (again bool) {
	b.c.arm()
	return false
}

// The rest of a turn is the engine's.
func (s *shmSock) turn() bool { return false }
func (b *shmBell) turn() bool { return false }
func (s *shmSock) waits(bool) {}
func (b *shmBell) waits(bool) {}
func (s *shmSock) goOn()      {}
func (b *shmBell) goOn()      {}

// watchFDs has the poller report of the peer's bell, and of its end.
func (c *shmConn) watchFDs() error {
	p := &c.a.bg.poller
	var sock, bell int32
	if err := p.add(c.sock, &shmSock{c}, &sock); err != nil {
		return err
	}
	if !c.hear() {
		if err := p.add(c.own, &shmBell{c}, &bell); err != nil {
			p.remove(c.sock)
			return err
		}
		p.modify(c.own, bell, unix.EPOLLIN)
	}
	p.modify(c.sock, sock, armRead)
	return nil
}

// unwatchFDs is the end of that. It waits for nobody: who has been told of an event may
// be in a callback of the program's.
func (c *shmConn) unwatchFDs() {
	if c.bell != nil {
		_ = c.bell.SetReadDeadline(time.Unix(1, 0)) // who hears it closes it
	} else {
		c.a.bg.poller.remove(c.own)
	}
	c.a.bg.poller.remove(c.sock)
}
