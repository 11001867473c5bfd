package ibv

// The functions here make the structures of the libraries, for libraries that are
// written in Go (see [Serve]). The memory is outside the Go heap.

// objectBytes is more than any of the structures takes.
const objectBytes = 1024

// object makes a structure of zeros.
func object[T any, H ~uintptr]() (*T, H) {
	b, err := alloc(objectBytes)
	if err != nil {
		panic(err) // only simulations make these
	}
	return at[T](b.addr), H(b.addr)
}

// FreeObject gives a structure's memory back.
func FreeObject[H ~uintptr](h H) { block{uintptr(h), objectBytes}.release() }

// View gives n Ts that begin at an address: arguments of a call, or memory that was
// registered. T must hold no Go pointers.
func View[T any](addr uintptr, n int) []T { return view[T](addr, n) }

// NewDevice makes a device.
func NewDevice(name string, transport TransportType) Device {
	p, h := object[deviceLayout, Device]()
	p.nodeType, p.transportType = NodeCA, transport
	copy(p.name[:len(p.name)-1], name)
	return h
}

// Driver is the functions that a context's operations call. Those that are nil are not
// supported.
type Driver struct {
	AllocMW, BindMW, DeallocMW      Func
	PollCQ, ReqNotifyCQ             Func
	PostSend, PostRecv, PostSRQRecv Func
}

// NewContext makes an open device. release takes its operations out.
func NewContext(d Device, asyncFD int, ops Driver) (c Context, release func()) {
	p, h := object[contextLayout, Context]()
	p.device, p.asyncFD, p.numCompVectors = d, int32(asyncFD), 1
	var taken []uintptr
	for to, f := range map[*uintptr]Func{
		&p.ops.allocMW: ops.AllocMW, &p.ops.bindMW: ops.BindMW, &p.ops.deallocMW: ops.DeallocMW,
		&p.ops.pollCQ: ops.PollCQ, &p.ops.reqNotifyCQ: ops.ReqNotifyCQ,
		&p.ops.postSend: ops.PostSend, &p.ops.postRecv: ops.PostRecv, &p.ops.postSRQRecv: ops.PostSRQRecv,
	} {
		if f != nil {
			*to = serve(f)
			taken = append(taken, *to)
		}
	}
	return h, func() { unserve(taken) }
}

// NewPD makes a protection domain.
func NewPD(c Context) PD {
	p, h := object[pdLayout, PD]()
	p.context = c
	return h
}

// NewMR makes a region.
func NewMR(d PD, addr, length uintptr, key uint32) MR {
	p, h := object[mrLayout, MR]()
	*p = mrLayout{context: d.Context(), pd: d, addr: addr, length: length, lkey: key, rkey: key}
	return h
}

// NewMW makes a window.
func NewMW(d PD, t MWType, rkey uint32) MW {
	p, h := object[mwLayout, MW]()
	*p = mwLayout{context: d.Context(), pd: d, rkey: rkey, kind: t}
	return h
}

// NewCompChannel makes a completion channel.
func NewCompChannel(c Context, fd int) CompChannel {
	p, h := object[compChannelLayout, CompChannel]()
	p.context, p.fd = c, int32(fd)
	return h
}

// NewCQ makes a completion queue.
func NewCQ(c Context, ch CompChannel, user uintptr, cqe int) CQ {
	p, h := object[cqLayout, CQ]()
	p.context, p.channel, p.cqContext, p.cqe = c, ch, user, int32(cqe)
	return h
}

// SetCQE changes the number of entries.
func (c CQ) SetCQE(n int) { at[cqLayout](c).cqe = int32(n) }

// NewSRQ makes a shared receive queue.
func NewSRQ(d PD, user uintptr) SRQ {
	p, h := object[srqLayout, SRQ]()
	p.context, p.pd, p.srqContext = d.Context(), d, user
	return h
}

// NewQP makes a queue pair.
func NewQP(d PD, attr *QPInitAttr, num uint32) QP {
	p, h := object[qpLayout, QP]()
	*p = qpLayout{
		context: d.Context(), qpContext: attr.Context, pd: d,
		sendCQ: attr.SendCQ, recvCQ: attr.RecvCQ, srq: attr.SRQ, num: num, kind: attr.Type,
	}
	return h
}
