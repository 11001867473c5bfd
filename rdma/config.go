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
	// SendDepth is how many operations other than receives may be under way at a time. One that is complete
	// counts no more, whether or not its completion has been taken. But completions
	// that nobody takes fill their queue, and then posts are refused, too: a queue of
	// the endpoint's own holds thousands of them; one of the program's is sure of
	// SendDepth, and holds as many more as it is deeper than all its users need.
	// RecvDepth is how many receives may be posted; one counts until its completion
	// has been taken. 0: 64, or what the adapter has if that is less.
	SendDepth, RecvDepth int
	// SendSegments and RecvSegments are how many pieces a post may have. 0: 4,
	// or what the adapter has if that is less.
	SendSegments, RecvSegments int
	// ReadsOut and ReadsIn are how many reads and atomics may be under way at a
	// time, of this side and of the peer. 0: 16, or what the adapter has if that
	// is less. Negative: none. The connection has the smaller of both sides.
	ReadsOut, ReadsIn int
	// RecvCQ is where receives complete, SendCQ where all other operations do. They
	// may be the same. nil: a queue of the endpoint's own.
	RecvCQ, SendCQ *CompletionQueue
	// BindCQ is where binds and unbinds of windows complete (uDAPL 1.0: the
	// rmr_bind_evd). nil: in SendCQ. It must be another queue than SendCQ, and has
	// no order with it. A bind takes a place in SendCQ on its way: while the
	// dispatcher there is full, it does not come. A queue that is BindCQ of one
	// endpoint cannot be SendCQ of an endpoint that has a BindCQ.
	BindCQ *CompletionQueue
	// SharedReceives, if set, is where receives are posted instead of here.
	SharedReceives *SharedReceiveQueue
	// Inbox, if set, has the receives, and is where messages arrive: RecvCQ and
	// SharedReceives are the inbox's then, and the endpoint's zone is that of the inbox.
	Inbox *Inbox
	// ConnEvents is where connection events go. nil: a dispatcher of the
	// endpoint's own.
	ConnEvents *Sink[ConnEvent]
	// SolicitedOnly: receives wake somebody only if the sender asked for it with
	// Solicited, or if they failed (uDAPL: SOLICITED_WAIT as the attribute).
	SolicitedOnly bool
	// Private goes to the peer along with the request of [Adapter.Dial] or the answer
	// of [ConnRequest.Accept], at most Attributes.MaxPrivateData bytes. Endpoints that
	// the program connects itself take it from [ConnConfig].
	Private []byte
	// Tag is the program's own number for the endpoint, and stays as it is made:
	// see Endpoint.Tag.
	Tag uint64
}

// complete checks a configuration against the adapter and fills in what is
// missing.
func (c EndpointConfig) complete(a *Adapter) (EndpointConfig, error) {
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
		if *f.field, err = fill(f.name, *f.field, f.otherwise, f.limit); err != nil {
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
			return c, limitError(f.name, *f.field, f.limit)
		}
	}
	if err := c.useInbox(); err != nil {
		return c, err
	}
	if err := c.sameAdapter(a); err != nil {
		return c, err
	}
	return c, c.prepareBinds()
}

// useInbox takes from an inbox what it has.
func (c *EndpointConfig) useInbox() error {
	b := c.Inbox
	switch {
	case b == nil:
		return nil
	case c.Zone != nil && c.Zone != b.zone:
		return hca.NewError(hca.Protection, "", "", "Inbox is of another zone than Zone")
	case c.RecvCQ != nil && c.RecvCQ != b.cq, c.SharedReceives != nil && c.SharedReceives != b.srq:
		return hca.NewError(hca.Invalid, "", "", "RecvCQ and SharedReceives are those of Inbox; leave them nil")
	}
	c.Zone, c.RecvCQ, c.SharedReceives = b.zone, b.cq, b.srq
	return nil
}

// sameAdapter wants everything that is named to be of the endpoint's adapter.
func (c *EndpointConfig) sameAdapter(a *Adapter) error {
	var what string
	switch {
	case c.Zone != nil && c.Zone.adapter != a:
		what = "Zone"
	case c.RecvCQ != nil && c.RecvCQ.adapter != a:
		what = "RecvCQ"
	case c.SendCQ != nil && c.SendCQ.adapter != a:
		what = "SendCQ"
	case c.BindCQ != nil && c.BindCQ.adapter != a:
		what = "BindCQ"
	case c.SharedReceives != nil && c.SharedReceives.zone.adapter != a:
		what = "SharedReceives"
	default:
		return nil
	}
	return hca.NewError(hca.Invalid, "", "", what+" is of another adapter than the endpoint")
}

// fill gives n, or otherwise if that is 0, and checks it. A limit of 0 is none.
func fill(name string, n, otherwise, limit int) (int, error) {
	switch {
	case n < 0:
		return 0, hca.NewError(hca.Invalid, "", "", fmt.Sprintf("%s is negative: %d", name, n))
	case n == 0 && limit > 0:
		return min(otherwise, limit), nil
	case n == 0:
		return otherwise, nil
	case limit > 0 && n > limit:
		return 0, limitError(name, n, limit)
	}
	return n, nil
}

func limitError(name string, n, limit int) error {
	return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("%s is %d, the adapter has at most %d", name, n, limit))
}

// checkPrivate refuses more private data than the adapter carries.
func (a *Adapter) checkPrivate(private []byte) error {
	if limit := a.attr.MaxPrivateData; len(private) > limit {
		return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("the private data has %d bytes, the adapter carries at most %d", len(private), limit))
	}
	return nil
}
