package stream

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// Path is the path over byte streams: iWARP, over TCP or what a program's fabric makes.
type Path struct {
	a        *core.Adapter
	fabric   wire.Fabric   // captured or not
	tcp      bool          // it is TCP of this host
	capture  *capture.File // nil: none
	halfOpen halfopen.Streams[net.Conn]
	partings atomic.Int32 // see mostPartings
}

// NewPath makes the path over a fabric, or over this host's TCP if f is nil, and starts the capture that the
// options request.
func NewPath(a *core.Adapter, f wire.Fabric) (*Path, error) {
	p := &Path{a: a, fabric: f}
	if f == nil {
		p.fabric, p.tcp = wire.TCP{}, true
	}
	if err := p.useTLS(); err != nil {
		return nil, err
	}
	return p, p.startCapture()
}

func (p *Path) Close()                          { p.endCapture() }
func (p *Path) Skipped(core.PeerAddress, error) {}

// places lists the addresses under which the fabric may find a service. The fabric interprets an address that
// only the program understands.
func (p *Path) places(address, host string, service uint64) []string {
	if !p.tcp && service <= maxPort {
		return []string{address} // unchanged
	}
	var list []string
	for _, port := range ports(service) {
		list = append(list, hostport.Join(host, port))
	}
	return list
}

// Connect connects over the network. Only the attempt shows whether anybody is there.
func (p *Path) Connect(ctx context.Context, q *core.QP, to core.PeerAddress, params hca.ConnParams) (found bool, err error) {
	return true, p.dial(ctx, q, to.Name, to.Host, to.Service, params)
}
