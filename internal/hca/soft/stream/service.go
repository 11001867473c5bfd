package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"net"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/hca/soft/neterr"
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

// Listen opens the listener's port.
func (p *Path) Listen(ctx context.Context, l *core.Listener) (core.Service, error) {
	s := &listener{p: p, l: l, service: l.Service}
	var err error
	for _, at := range p.places(l.Config.Address, l.Host, l.Service) {
		if s.ln, err = p.fabric.Listen(ctx, at); err == nil {
			break
		}
	}
	if err != nil {
		return nil, neterr.Listen(ctx, l.Config.Address, l.Service, err)
	}
	if _, _, err := hostport.Split("listen", l.Config.Address); err != nil {
		l.Name = l.Config.Address
	} else if s.service == 0 {
		if t, ok := s.ln.Addr().(*net.TCPAddr); ok {
			s.service = uint64(t.Port)
		} else if _, port, err := hostport.Split("listen", s.ln.Addr().String()); err == nil {
			s.service = port
		} else {
			l.Name = s.ln.Addr().String() // the fabric's name for it
		}
	}
	l.Service = s.service
	return s, nil
}
