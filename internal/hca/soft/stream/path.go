package stream

import (
	"context"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Path is the path over byte streams: iWARP, over TCP or what a program's fabric makes.
type Path struct {
	a        *core.Adapter
	fabric   core.Fabric   // captured or not
	tcp      bool          // it is TCP of this host
	capture  *capture.File // nil: none
	halfOpen halfOpenStreams
}

// NewPath makes the path over what a fabric makes, nil for TCP of this host, and
// begins the capture that the options ask for.
func NewPath(a *core.Adapter, f core.Fabric) (*Path, error) {
	p := &Path{a: a, fabric: f}
	if f == nil {
		p.fabric, p.tcp = tcpFabric{}, true
	}
	return p, p.startCapture()
}

func (p *Path) Close() { p.endCapture() }

func (p *Path) Skipped(core.PeerAddress, error) {}

// places are the addresses that the fabric is given for an address. What is the program's
// means what its fabric makes of it.
func (p *Path) places(address, host string, service uint64) []string {
	if !p.tcp && service <= maxPort {
		return []string{address} // as it is
	}
	var list []string
	for _, port := range ports(service) {
		list = append(list, core.JoinAddress(host, port))
	}
	return list
}

// Connect connects over the network. Whether somebody is there is known at the end.
func (p *Path) Connect(ctx context.Context, q *core.QP, to core.PeerAddress, params hca.ConnParams) (found bool, err error) {
	return true, p.dial(ctx, q, to.Name, to.Host, to.Service, params)
}
