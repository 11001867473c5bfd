package sharedmem

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// listener accepts requests from other processes of this host and user.
type listener struct {
	p    *Path
	l    *core.Listener
	ln   neighbour.Listener
	done chan struct{}
}

// Listen takes the service's name or, if this is the only path, a free one. If other paths accept the
// listener's requests too, this one may fail.
func (p *Path) Listen(_ context.Context, l *core.Listener) (core.Service, error) {
	s, err := p.listenOn(l)
	switch {
	case err == nil:
		return s, nil
	case l.Open == 0:
		return nil, err
	case !p.sayUnable(err):
		p.a.Log.Info("no path over shared memory to this listener", "address", l.Addr(), "error", err)
	}
	return nil, nil
}

func (p *Path) listenOn(l *core.Listener) (*listener, error) {
	name, here := p.machine.Name(l.Host)
	if !here {
		return nil, hca.NewError(hca.BadAddress, "listen", l.Config.Address, "the path over shared memory has addresses of this machine only: use :service or localhost:service")
	}
	s := &listener{p: p, l: l}
	err := p.canShare()
	if err == nil && l.Service != 0 {
		s.ln, err = p.machine.Serve(name, l.Service)
	} else if err == nil {
		for range hostport.Dynamic {
			service := hostport.FirstDynamic + (core.Numbers.Add(1)+uint64(time.Now().UnixNano()))%hostport.Dynamic
			if s.ln, err = p.machine.Serve(name, service); !errors.Is(err, shm.ErrInUse) {
				l.Service = service
				break
			}
		}
	}
	switch err = unable(err); {
	case errors.Is(err, shm.ErrInUse):
		return nil, hca.Wrap(hca.ServiceInUse, "listen", l.Config.Address, "a process of this host already listens on that service", err)
	case errors.As(err, new(*unableError)):
		return nil, hca.Wrap(hca.Unsupported, "listen", l.Config.Address, noSharing, err)
	case err != nil:
		return nil, hca.Wrap(hca.Resources, "listen", l.Config.Address, "", err)
	}
	return s, nil
}

func (s *listener) Serve() {
	bg, again := &s.p.a.Background, connreq.Retry{Adapter: s.p.a}
	ctx := bg.Context()
	s.done = make(chan struct{})
	go hca.Labeled(s.p.a.Attrs.Name, "listen", func() {
		defer close(s.done)
		for {
			sock, err := s.ln.Accept()
			if err != nil {
				if s.l.IsClosed() || ctx.Err() != nil || errors.Is(err, shm.ErrClosed) || !again.Wait(err) {
					return
				}
				continue
			}
			x := s.p.halfOpen.Enter(sock)
			bg.Go("handshake", func() { s.handleRequest(x) })
		}
	})()
}

func (s *listener) Close() {
	_ = s.ln.Close()
	if s.done != nil {
		<-s.done
	}
}

// handleRequest reads one request and hands it to the listener.
func (s *listener) handleRequest(x *halfopen.Stream[neighbour.Socket]) {
	a, sock := s.l.Adapter, x.Conn
	_ = sock.SetDeadline(time.Now().Add(connreq.RequestTime)) // first: the end of the adapter replaces it
	stop := context.AfterFunc(a.Background.Context(), func() { _ = sock.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	h, fds, err := neighbour.RecvHello(sock, &a.Attrs, neighbour.HelloRequest, 2)
	err = x.Read(err)
	if err == nil && h.Service != s.l.Service {
		err = neighbour.ErrHello
	}
	if err == nil {
		err = shm.CheckEvent(fds[0])
	}
	if err != nil {
		s.refused(sock, err)
		shm.CloseFDs(fds)
		_ = sock.Close()
		return
	}
	_ = sock.SetDeadline(time.Time{})
	r := &request{p: s.p, l: s.l, sock: sock, hello: h, doorbell: fds[0], directory: fds[1]}
	if err := r.Begin(a, "listen", r); err != nil {
		r.drop()
		return
	}
	r.watchPeer()
	if !s.l.Deliver(r) {
		_ = r.Close()
	}
}

// refused tells the operator of a request that could not be read.
func (s *listener) refused(sock neighbour.Socket, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, errno.Reset) {
		s.l.Adapter.Log.Debug("a socket ended before its request", "remote", peerName(sock), "error", err)
		return
	}
	s.l.Adapter.Refused(peerName(sock), failure(hca.Refused, "listen", s.l.Addr(), "there was no request of this version of the library", err))
}
