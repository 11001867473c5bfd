package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"net"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
)

// Services up to 65535 are ports. A larger service has eight candidate ports, which its number determines; its
// listener takes the first free one, and a dialer tries them in order. The private data begins with the full
// number, so that neither side mistakes another service for it. This works only between peers of this library.

const (
	maxPort    = 65535
	widePorts  = 8
	wideHeader = 16
)

var (
	wideMagic = [8]byte{'g', 'o', 'd', 'a', 'p', 'l', 0, 1}
	// Private data of rejects that no program made: the service is another one, or nobody serves the request.
	// A close without a reply would look like a peer that knows only revision 1.
	wrongWide       = []byte("godapl\x00\x02")
	nobody          = []byte("godapl\x00\x03")
	errNoReply      = errors.New("the peer closed the stream without an answer")
	errPartialReply = errors.New("the peer closed the stream inside its answer")
)

// ports lists the ports at which a service may be found.
func ports(service uint64) []uint64 {
	if service <= maxPort {
		return []uint64{service}
	}
	var b [9]byte
	binary.BigEndian.PutUint64(b[:], service)
	list := make([]uint64, 0, widePorts)
	for i := range widePorts {
		b[8] = byte(i)
		h := fnv.New64a()
		_, _ = h.Write(b[:])
		list = append(list, hostport.FirstDynamic+h.Sum64()%hostport.Dynamic)
	}
	return list
}

func wrapWide(service uint64, private []byte) []byte {
	if service <= maxPort {
		return private
	}
	b := append(make([]byte, 0, wideHeader+len(private)), wideMagic[:]...)
	b = binary.BigEndian.AppendUint64(b, service)
	return append(b, private...)
}

func unwrapWide(private []byte) (service uint64, rest []byte, ok bool) {
	if len(private) < wideHeader || [8]byte(private) != wideMagic {
		return 0, private, false
	}
	return binary.BigEndian.Uint64(private[8:]), private[wideHeader:], true
}

// dialError explains why no stream could be opened.
func dialError(address string, err error) error {
	const op = "connect"
	var dns *net.DNSError
	var form *net.AddrError
	if code, ok := codeOf(err); ok {
		return hca.Wrap(code, op, address, "", err)
	}
	switch {
	case errors.Is(err, errno.Refused), errors.Is(err, errno.Reset): // the streams of a listener that closes are reset
		return hca.Wrap(hca.Refused, op, address, "nobody listens there", err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return hca.Wrap(hca.BadAddress, op, address, "no host has that name", err)
	case errors.As(err, &dns), errors.As(err, &form), errors.Is(err, errno.NotAvail), errors.Is(err, errno.Family):
		return hca.Wrap(hca.BadAddress, op, address, "", err)
	case errno.NoDescriptors(err):
		return hca.Wrap(hca.Resources, op, address, "", err)
	}
	return hca.Wrap(hca.Unreachable, op, address, "", err)
}

// isBadAddress distinguishes an invalid address from a system that refuses a valid one.
func isBadAddress(err error) bool {
	var dns *net.DNSError
	var address *net.AddrError
	var call *os.SyscallError
	if errors.As(err, &call) && call.Syscall == "bind" {
		return !errors.Is(err, os.ErrPermission) // an unknown scope, for instance
	}
	return errors.As(err, &dns) || errors.As(err, &address) || errors.Is(err, errno.Family)
}

// codeOf finds the code that a program's fabric has put into its error.
func codeOf(err error) (hca.Code, bool) {
	if e, ok := errors.AsType[*hca.Error](err); ok {
		return e.Code, true
	}
	return errors.AsType[hca.Code](err)
}

// Listen opens the listener's port.
func (p *Path) Listen(ctx context.Context, l *core.Listener) (core.Service, error) {
	const op = "listen"
	s := &listener{p: p, l: l, service: l.Service}
	var err error
	for _, at := range p.places(l.Config.Address, l.Host, l.Service) {
		if s.ln, err = p.fabric.Listen(ctx, at); err == nil {
			break
		}
	}
	code, coded := codeOf(err)
	switch {
	case err == nil:
	case coded:
		return nil, hca.Wrap(code, op, l.Config.Address, "", err)
	case errors.Is(err, errno.InUse):
		return nil, hca.Wrap(hca.ServiceInUse, op, l.Config.Address, "this process or another one has that port; choose another port, or 0 for any free one", err)
	case errors.Is(err, errno.NotAvail):
		return nil, hca.Wrap(hca.BadAddress, op, l.Config.Address, "no network interface of this host has that address; an empty host is all of them", err)
	case errors.Is(err, errno.Access) && l.Service != 0 && l.Service < 1024:
		return nil, hca.Wrap(hca.ServiceUnavailable, op, l.Config.Address, "ports below 1024 need privileges: choose another", err)
	case ctx.Err() != nil:
		return nil, connreq.CtxError(ctx, op, l.Config.Address, err)
	case isBadAddress(err):
		return nil, hca.Wrap(hca.BadAddress, op, l.Config.Address, "", err)
	default:
		return nil, hca.Wrap(hca.Resources, op, l.Config.Address, "the system refuses a listening socket: look for a limit (ulimit -n), or a filter of system calls such as a container's", err)
	}
	if _, _, err := hostport.Split(op, l.Config.Address); err != nil {
		l.Name = l.Config.Address
	} else if s.service == 0 {
		if t, ok := s.ln.Addr().(*net.TCPAddr); ok {
			s.service = uint64(t.Port)
		} else if _, port, err := hostport.Split(op, s.ln.Addr().String()); err == nil {
			s.service = port
		} else {
			l.Name = s.ln.Addr().String() // the fabric's name for it
		}
	}
	l.Service = s.service
	return s, nil
}
