package soft

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// shmListener takes requests of other processes of this host and user.
type shmListener struct {
	p    *shmPath
	l    *listener
	ln   *shm.Listener
	done chan struct{}
}

// anyHost is how a listener on all addresses is found.
var anyHost = netip.IPv4Unspecified()

// shmName is the name of a service of this machine; canonical is as of localHost.
func shmName(canonical string, service uint64) string {
	ip, err := netip.ParseAddr(canonical)
	if err != nil || ip.IsUnspecified() {
		ip = anyHost
	}
	return shm.ServiceName(ip, service)
}

// listen takes the service's name, or, if only this path is there, a free one. Where others
// take the listener's requests, this path may fail.
func (p *shmPath) listen(_ context.Context, l *listener) (service, error) {
	s, err := p.listenOn(l)
	switch {
	case err == nil:
		return s, nil
	case l.open == 0:
		return nil, err
	case !p.sayUnable(err):
		p.a.log.Info("no path over shared memory to this listener", "address", l.Addr(), "error", err)
	}
	return nil, nil
}

func (p *shmPath) listenOn(l *listener) (*shmListener, error) {
	canonical, local := localHost(l.host)
	if !local {
		return nil, hca.NewError(hca.BadAddress, "listen", l.cfg.Address, "the path over shared memory has addresses of this machine only: use :service or localhost:service")
	}
	if err := p.ableShm(); err != nil {
		return nil, hca.Wrap(hca.Unsupported, "listen", l.cfg.Address, noShm, err)
	}
	s := &shmListener{p: p, l: l}
	var err error
	if l.service != 0 {
		s.ln, err = shm.Listen(shmName(canonical, l.service))
	} else {
		for try := uint64(0); try < 16384; try++ {
			service := 49152 + (numbers.Add(1)+uint64(time.Now().UnixNano()))%16384
			if s.ln, err = shm.Listen(shmName(canonical, service)); !errors.Is(err, shm.ErrInUse) {
				l.service = service
				break
			}
		}
	}
	switch err = unable(err); {
	case errors.Is(err, shm.ErrInUse):
		return nil, hca.Wrap(hca.ServiceInUse, "listen", l.cfg.Address, "a process of this host already listens on that service", err)
	case errors.As(err, new(*unableError)):
		return nil, hca.Wrap(hca.Unsupported, "listen", l.cfg.Address, noShm, err)
	case err != nil:
		return nil, hca.Wrap(hca.Resources, "listen", l.cfg.Address, "", err)
	}
	return s, nil
}

func (s *shmListener) serve() {
	bg := &s.p.a.bg
	ctx := bg.ctx()
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		for {
			sock, err := s.ln.Accept()
			if err != nil {
				if s.l.isClosed() || ctx.Err() != nil || errors.Is(err, shm.ErrClosed) {
					return
				}
				s.l.a.log.Warn("accept", "error", err)
				select { // out of descriptors, for instance
				case <-time.After(50 * time.Millisecond):
					continue
				case <-ctx.Done():
					return
				}
			}
			select {
			case s.p.slots <- struct{}{}:
				bg.start(func() { s.meet(sock) })
			default:
				_ = sock.Close() // as if the backlog were full
			}
		}
	}()
}

func (s *shmListener) close() {
	_ = s.ln.Close()
	if s.done != nil {
		<-s.done
	}
}

// meet reads one request and hands it on.
func (s *shmListener) meet(sock *shm.Sock) {
	a := s.l.a
	stop := context.AfterFunc(a.bg.ctx(), func() { _ = sock.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = sock.SetDeadline(time.Now().Add(requestTime))
	h, fds, err := recvHello(sock, a, helloRequest, 2)
	<-s.p.slots
	if err == nil && h.service != s.l.service {
		err = errHello
	}
	if err == nil {
		err = shm.CheckEvent(fds[0])
	}
	if err != nil {
		a.log.Debug("start-up refused", "error", err)
		closeFDs(fds)
		_ = sock.Close()
		return
	}
	_ = sock.SetDeadline(time.Time{})
	r := &shmRequest{p: s.p, l: s.l, sock: sock, hello: h, bell: fds[0], board: fds[1]}
	if err := a.track("listen", r); err != nil {
		r.drop()
		return
	}
	r.lookOut()
	if !s.l.deliver(r) {
		_ = r.Close()
	}
}

func closeFDs(fds []int) {
	for _, fd := range fds {
		shm.CloseFD(fd)
	}
}

func sendHello(sock *shm.Sock, h *shmHello, fds ...int) error {
	raceSend()
	return sock.Send(h.append(nil), fds...)
}

// recvHello takes one message of the start-up, with so many descriptors. On an
// error it returns those that came.
func recvHello(sock *shm.Sock, a *adapter, kind uint8, fds int) (*shmHello, []int, error) {
	var b [helloMost + 1]byte
	n, got, err := sock.Recv(b[:])
	if err != nil {
		return nil, got, err
	}
	raceRecv()
	h := new(shmHello)
	if err := h.parse(b[:n], &a.attr); err != nil {
		return nil, got, err
	}
	if h.kind == kind && len(got) != fds || h.kind != kind && len(got) != 0 {
		return nil, got, errHello
	}
	if h.kind != kind && (kind != helloAccept || h.kind != helloReject && h.kind != helloRefuse) {
		return nil, got, errHello
	}
	return h, got, nil
}
