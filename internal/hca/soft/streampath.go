package soft

import (
	"context"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca"
)

// streamPath is the path over byte streams: iWARP, over TCP or what a program's fabric makes.
type streamPath struct {
	a        *adapter
	fabric   Fabric        // captured or not
	tcp      bool          // it is TCP of this host
	capture  *capture.File // nil: none
	visitors visitors
}

// newStreamPath makes the path over what a fabric makes, nil for TCP of this host, and
// begins the capture that the options ask for.
func newStreamPath(a *adapter, f Fabric) (*streamPath, error) {
	p := &streamPath{a: a, fabric: f}
	if f == nil {
		p.fabric, p.tcp = tcpFabric{}, true
	}
	return p, p.startCapture()
}

func (p *streamPath) close() { p.endCapture() }

func (p *streamPath) skipped(peerAddress, error) {}

// places are the addresses that the fabric is given for an address. What is the program's
// means what its fabric makes of it.
func (p *streamPath) places(address, host string, service uint64) []string {
	if !p.tcp && service <= maxPort {
		return []string{address} // as it is
	}
	var list []string
	for _, port := range ports(service) {
		list = append(list, joinAddress(host, port))
	}
	return list
}

// connect connects over the network. Whether somebody is there is known at the end.
func (p *streamPath) connect(ctx context.Context, q *qp, to peerAddress, params hca.ConnParams) (found bool, err error) {
	return true, p.dial(ctx, q, to.name, to.host, to.service, params)
}
