package rdma

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// EndpointConfig describes an endpoint (uDAPL: DAT_EP_ATTR and the handles of
// dat_ep_create). The zero value of a field is its default; only Zone must be
// set, before connecting.
type EndpointConfig struct {
	// Zone is whose memory the endpoint works with. It may be set later, with
	// Endpoint.Modify.
	Zone *Zone
	// SendDepth and RecvDepth are how many requests and receives may be posted
	// at a time. 0: 64, or what the adapter has if that is less.
	SendDepth, RecvDepth int
	// SendSegments and RecvSegments are how many pieces a post may have. 0: 4,
	// or what the adapter has if that is less.
	SendSegments, RecvSegments int
	// ReadsOut and ReadsIn are how many reads and atomics may be under way at a
	// time, of this side and of the peer. 0: 16, or what the adapter has if that
	// is less. Negative: none. The connection has the smaller of both sides.
	ReadsOut, ReadsIn int
	// Receives and Requests are where the operations complete. They may be the
	// same. nil: a queue of the endpoint's own.
	Receives, Requests *CompletionQueue
	// SharedReceives, if set, is where receives are posted instead of here.
	SharedReceives *SharedReceiveQueue
	// ConnEvents is where connection events go. nil: a dispatcher of the
	// endpoint's own.
	ConnEvents *ConnSink
	// SolicitedOnly: receives wake somebody only if the sender asked for it with
	// Solicited, or if they failed (uDAPL: SOLICITED_WAIT as the attribute).
	SolicitedOnly bool
	// Tag is the program's own number for the endpoint, and stays as it is made:
	// see Endpoint.Tag.
	Tag uint64
}

// complete checks a configuration against the adapter and fills in what is
// missing.
func (c EndpointConfig) complete(op string, a *Adapter) (EndpointConfig, error) {
	attr := a.attr
	for _, f := range [...]struct {
		name      string
		field     *int
		otherwise int
		limit     int
	}{
		{"SendDepth", &c.SendDepth, 64, attr.MaxSendWR}, {"RecvDepth", &c.RecvDepth, 64, attr.MaxRecvWR},
		{"SendSegments", &c.SendSegments, 4, attr.MaxSGE}, {"RecvSegments", &c.RecvSegments, 4, attr.MaxSGE},
	} {
		var err error
		if *f.field, err = fill(op, f.name, *f.field, f.otherwise, f.limit); err != nil {
			return c, err
		}
	}
	for _, f := range [...]struct {
		name  string
		field *int
		limit int
	}{{"ReadsOut", &c.ReadsOut, attr.MaxReadsOut}, {"ReadsIn", &c.ReadsIn, attr.MaxReadsIn}} {
		switch {
		case *f.field < 0:
			*f.field = -1
		case *f.field == 0:
			*f.field = min(16, f.limit)
		case *f.field > f.limit:
			return c, limitError(op, f.name, *f.field, f.limit)
		}
	}
	return c, c.sameAdapter(op, a)
}

// sameAdapter wants everything that is named to be of the endpoint's adapter.
func (c *EndpointConfig) sameAdapter(op string, a *Adapter) error {
	var what string
	switch {
	case c.Zone != nil && c.Zone.adapter != a:
		what = "Zone"
	case c.Receives != nil && c.Receives.adapter != a:
		what = "Receives"
	case c.Requests != nil && c.Requests.adapter != a:
		what = "Requests"
	case c.SharedReceives != nil && c.SharedReceives.zone.adapter != a:
		what = "SharedReceives"
	default:
		return nil
	}
	return hca.NewError(hca.Invalid, op, "", what+" is of another adapter than the endpoint")
}

// fill gives n, or otherwise if that is 0, and checks it. A limit of 0 is none.
func fill(op, name string, n, otherwise, limit int) (int, error) {
	switch {
	case n < 0:
		return 0, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%s is negative: %d", name, n))
	case n == 0 && limit > 0:
		return min(otherwise, limit), nil
	case n == 0:
		return otherwise, nil
	case limit > 0 && n > limit:
		return 0, limitError(op, name, n, limit)
	}
	return n, nil
}

func limitError(op, name string, n, limit int) error {
	return hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%s is %d, the adapter has at most %d", name, n, limit))
}

// checkPrivate refuses more private data than the adapter carries.
func (a *Adapter) checkPrivate(op string, private []byte) error {
	if limit := a.attr.MaxPrivateData; len(private) > limit {
		return hca.NewError(hca.Invalid, op, "private data", fmt.Sprintf("%d bytes, the adapter carries at most %d", len(private), limit))
	}
	return nil
}
