package rdma

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// EndpointConfig describes an endpoint (uDAPL: DAT_EP_ATTR and the handles of
// dat_ep_create). The zero value of a field selects its default; only Zone
// must be set before the endpoint connects.
type EndpointConfig struct {
	// Zone is the zone whose memory the endpoint uses. It may be set later, with
	// Endpoint.Modify.
	Zone *Zone
	// SendDepth limits the operations other than receives that are in flight. An operation
	// that is complete no longer counts, even if its completion has not been taken. A post
	// that finds the queue full first looks for operations that have been sent or acknowledged
	// meanwhile: to answer requests that come one at a time, a depth of 1 is enough (2 on
	// devices). Completions that the program does not take fill the completion queue, and then
	// posts are refused as well. An endpoint's own queue holds tens of thousands of them; a
	// queue of the program holds at least SendDepth for this endpoint, plus its depth beyond
	// the needs of all its users. RecvDepth limits the posted receives; a receive counts until
	// its completion has been taken. 0: 64, or the adapter's limit if that is less.
	SendDepth, RecvDepth int
	// SendSegments and RecvSegments limit the pieces of memory of a post. 0: 4, or the
	// adapter's limit if that is less.
	SendSegments, RecvSegments int
	// ReadsOut and ReadsIn limit the reads and atomics in flight, of this side and of the
	// peer. 0: 16, or the adapter's limit if that is less. Negative: none. The connection uses
	// the smaller value of the two sides.
	ReadsOut, ReadsIn int
	// RecvCQ gets the completions of receives, SendCQ those of all other operations. Both may be
	// the same queue. nil: the endpoint creates its own queue.
	RecvCQ, SendCQ *CompletionQueue
	// Binds and unbinds of windows complete in BindCQ (uDAPL 1.0: the rmr_bind_evd). nil: in
	// SendCQ. BindCQ must differ from SendCQ; there is no order between the two. The
	// completion of a bind passes through SendCQ: while the dispatcher there is full, it is
	// delayed. A queue that is BindCQ of one endpoint cannot be SendCQ of an endpoint that has
	// a BindCQ.
	BindCQ *CompletionQueue
	// SharedReceives, if set, supplies the receives; none can be posted on the endpoint.
	SharedReceives *SharedReceiveQueue
	// Inbox, if set, supplies the receives and takes the messages. The endpoint then uses the
	// zone, the shared receive queue and the completion queue of the inbox: leave RecvCQ and
	// SharedReceives nil.
	Inbox *Inbox
	// ConnEvents takes the connection events. nil: the endpoint creates its own dispatcher.
	ConnEvents *Sink[ConnEvent]
	// Refuse lists rights that the peer of this endpoint does not have, whatever its keys allow:
	// mem.RemoteRead, RemoteWrite, RemoteAtomic. An operation of the peer that needs such a right
	// is refused, as if the region did not have it; an operation on 0 bytes needs no right.
	// ErrUnsupported if the adapter cannot do that (Caps.Refuse).
	Refuse mem.Rights
	// SolicitedOnly: a receive wakes the consumer only if the sender has set Solicited, or if
	// the receive failed (uDAPL: the attribute SOLICITED_WAIT).
	SolicitedOnly bool
	// Private is sent to the peer with the request of [Adapter.Dial] or the answer of
	// [ConnRequest.Accept], at most Attributes.MaxPrivateData bytes. Endpoints that
	// the program connects itself take it from [ConnConfig].
	Private []byte
	// Tag is the program's own number for the endpoint; it never changes. See Endpoint.Tag.
	Tag uint64
}

// complete checks a configuration against the adapter and fills in the defaults.
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
	if err := c.checkRefuse(a); err != nil {
		return c, err
	}
	if err := c.useInbox(); err != nil {
		return c, err
	}
	if err := c.sameAdapter(a); err != nil {
		return c, err
	}
	return c, c.prepareBinds()
}

// checkRefuse wants remote rights, and an adapter that can refuse them.
func (c *EndpointConfig) checkRefuse(a *Adapter) error {
	switch {
	case c.Refuse&^mem.RemoteAll != 0:
		return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("Refuse is for rights of the peer, not for %v", c.Refuse&^mem.RemoteAll))
	case c.Refuse != 0 && a.attr.Caps&hca.CapRefuse == 0:
		return hca.NewError(hca.Unsupported, "", "", "Refuse: the adapter gives the peer what its keys allow; register memory with fewer rights")
	}
	return nil
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

// fill returns n, or otherwise if n is 0, and checks it. A limit of 0 means no limit.
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

// checkPrivate refuses private data that exceeds the adapter's limit.
func (a *Adapter) checkPrivate(private []byte) error {
	if limit := a.attr.MaxPrivateData; len(private) > limit {
		return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("the private data has %d bytes, the adapter carries at most %d", len(private), limit))
	}
	return nil
}
