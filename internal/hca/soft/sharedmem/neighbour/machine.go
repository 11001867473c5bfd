package neighbour

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/shm"
)

// A Machine is where processes find one another. There is the system's; a simulation has its own.
type Machine interface {
	// Name reports whether a host is this machine, and under which name Serve and Find know it.
	Name(host string) (name string, here bool)
	// Serve takes a service of this machine; shm.ErrInUse if somebody has it.
	Serve(name string, service uint64) (Listener, error)
	// Find connects to the process that listens on a service of this machine; shm.ErrNobody if there is none.
	Find(ctx context.Context, name string, service uint64) (Socket, error)
}

// A Listener accepts sockets; see shm.Listener.
type Listener interface {
	Accept() (Socket, error)
	Close() error
}

// A Socket is one end of a connection between two processes. Messages, with descriptors, arrive whole and in order: see
// shm.Sock.
type Socket interface {
	Send(b []byte, fds ...int) error
	Recv(b []byte) (n int, fds []int, err error)
	SetDeadline(t time.Time) error
	Close() error
	// Detach closes the socket, and returns a descriptor of the connection that does not block.
	Detach() (fd int, err error)
	Peer() shm.Credentials
	// Names are those of this process and of the peer.
	Names() (local, remote string)
}

// System is the machine on which this process runs.
type System struct{}

// sysListener and sysSocket are the system's.
type (
	sysListener struct{ *shm.Listener }
	sysSocket   struct{ *shm.Sock }
)

func (l sysListener) Accept() (Socket, error) {
	s, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return sysSocket{s}, nil
}

func (s sysSocket) Names() (local, remote string) {
	return fmt.Sprintf("pid-%d:0", os.Getpid()), fmt.Sprintf("pid-%d:0", s.Peer().PID)
}

func (System) Name(host string) (name string, here bool) { return hostport.Local(host) }

func (System) Serve(name string, service uint64) (Listener, error) {
	l, err := shm.Listen(serviceName(name, service))
	if err != nil {
		return nil, err
	}
	return sysListener{l}, nil
}

func (System) Find(ctx context.Context, name string, service uint64) (Socket, error) {
	names := []string{name, "", "127.0.0.1"}
	if name != "" {
		names = names[:2] // the caller names an address, so no other one is tried
	}
	var err error
	for _, n := range names {
		var s *shm.Sock
		if s, err = shm.Dial(ctx, serviceName(n, service)); err == nil {
			return sysSocket{s}, nil
		}
		if !errors.Is(err, shm.ErrNobody) {
			break
		}
	}
	return nil, err
}

// anyHost names a listener on all addresses.
var anyHost = netip.IPv4Unspecified()

// serviceName is the name of a service of this machine; name is a result of Name.
func serviceName(name string, service uint64) string {
	ip, err := netip.ParseAddr(name)
	if err != nil || ip.IsUnspecified() {
		ip = anyHost
	}
	return shm.ServiceName(ip, service)
}
