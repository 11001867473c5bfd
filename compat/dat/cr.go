package dat

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
)

// cr is a connection request.
type cr struct {
	object
	request *rdma.ConnRequest
	sp      *sp
	ep      *ep         // that comes with it, or nil
	made    bool        // the endpoint is the provider's
	told    atomic.Bool // the program has got its event
	mu      sync.Mutex
}

var badCR = failure(InvalidHandle, InvalidHandleCR)

func getCR(h CRHandle) *cr { return crs.Get(Handle(h)) }

// CRQuery returns the properties of a connection request (dat_cr_query).
func CRQuery(crHandle CRHandle, crParamMask CRParamMask, crParam *CRParam) Return {
	c := getCR(crHandle)
	switch {
	case c == nil:
		return badCR
	case crParamMask&^CRFieldAll != 0:
		return badArg(2)
	case crParam == nil:
		return badArg(3)
	}
	private := c.request.PrivateData()
	*crParam = CRParam{PrivateDataSize: Count(len(private)), PrivateData: private}
	crParam.RemoteIAAddressPtr, crParam.RemotePortQual = parseAddress(c.request.RemoteAddr().String())
	if c.ep != nil {
		crParam.LocalEPHandle = EPHandle(c.ep.handle)
	}
	return Success
}

// CRAccept connects an endpoint to the peer (dat_cr_accept): an UNCONNECTED one of the
// program, or null if the request brings its own. It does not wait: the endpoint's
// connect dispatcher gets ESTABLISHED or ACCEPT_COMPLETION_ERROR. With success the
// request is gone; after an error it can still be answered.
func CRAccept(crHandle CRHandle, epHandle EPHandle, privateDataSize Count, privateData []byte) Return {
	c := getCR(crHandle)
	if c == nil {
		return badCR
	}
	e := c.ep
	if (e != nil) == (epHandle != HandleNull) {
		return badEP
	}
	if e == nil {
		if e = c.ia.getEP(epHandle); e == nil {
			return badEP
		}
	}
	if ret := c.ia.checkPrivate(privateDataSize, privateData, 3); ret != Success {
		return ret
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if getCR(crHandle) != c {
		return badCR
	}
	if ret := e.accept(c, privateData[:privateDataSize]); ret != Success {
		return ret
	}
	c.gone()
	return Success
}

// from is where the request comes from.
func (c *cr) from() target {
	_, local := parseAddress(c.request.LocalAddr().String())
	return target{address: c.request.RemoteAddr().String(), local: local}
}

// gone ends the request. c.mu is held.
func (c *cr) gone() {
	c.ia.forget(c.handle)
	crs.Remove(c.handle)
}

// CRReject refuses the peer (dat_cr_reject, 1.0 to 1.2), which gets PEER_REJECTED. An
// endpoint of an RSP becomes UNCONNECTED; one of the provider's is freed.
func CRReject(crHandle CRHandle) Return { return reject(crHandle, nil) }

// CRReject20 is CRReject with private data (dat_cr_reject, 2.0).
func CRReject20(crHandle CRHandle, privateDataSize Count, privateData []byte) Return {
	if c := getCR(crHandle); c != nil {
		if ret := c.ia.checkPrivate(privateDataSize, privateData, 2); ret != Success {
			return ret
		}
		privateData = privateData[:privateDataSize]
	}
	return reject(crHandle, privateData)
}

func reject(h CRHandle, private []byte) Return {
	c := getCR(h)
	if c == nil {
		return badCR
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if getCR(h) != c {
		return badCR
	}
	c.gone()
	c.request.Reject(private) // an error: the peer is gone already
	c.dismissEP()
	return Success
}

// dismissEP is for a request that this endpoint will not answer.
func (c *cr) dismissEP() {
	switch {
	case c.made:
		c.ep.end()
	case c.ep != nil:
		c.ep.setPhase(0)
	}
}

// CRHandoff passes the request on to another service point of the same adapter, which
// makes a new request of it (dat_cr_handoff). [InvalidParameter] if there is no service
// point or it has no room.
func CRHandoff(crHandle CRHandle, handoff ConnQual) Return {
	c := getCR(crHandle)
	if c == nil {
		return badCR
	}
	c.ia.mu.Lock()
	to := c.ia.services[handoff]
	c.ia.mu.Unlock()
	if to == nil || to.spent.Load() {
		return badArg(2)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if getCR(crHandle) != c {
		return badCR
	}
	if err := c.request.HandOff(to.listener); err != nil {
		return badArg(2)
	}
	c.gone()
	c.dismissEP()
	return Success
}

// checkPrivate checks private data; size is the n-th argument, the data the next.
func (a *ia) checkPrivate(size Count, data []byte, n int) Return {
	switch {
	case size < 0 || int(size) > a.attr.MaxPrivateData:
		return badArg(n)
	case int(size) > len(data):
		return badArg(n + 1)
	}
	return Success
}
