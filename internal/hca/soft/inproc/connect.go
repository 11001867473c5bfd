package inproc

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/local"
)

// Path is the path between queue pairs of this process.
type Path struct{}

func (*Path) Close()                          {}
func (*Path) Skipped(core.PeerAddress, error) {}

func (*Path) Connect(ctx context.Context, q *core.QP, to core.PeerAddress, p hca.ConnParams) (found bool, err error) {
	l := find(to.Host, to.Service)
	if l == nil {
		return false, hca.Wrap(hca.Refused, "connect", to.Name, "", connreq.ErrNobody)
	}
	return true, link.Connect(ctx, q, l, to.Name, p)
}

var link = local.Link{Path: "loop", Join: join}

func join(active, passive *core.QP, readsOut, readsIn int) (a, p core.Transport, ok bool) {
	from, to := newConn(active, passive, readsOut), newConn(passive, active, readsIn)
	return from, to, core.EstablishPair(active, from, passive, to)
}
