package ibv

// Connect is rdma_connect. The answer is an event.
func (l *Lib) Connect(i ID, p *ConnParam) Errno { return l.withParam(l.connect, i, p) }

// Accept is rdma_accept.
func (l *Lib) Accept(i ID, p *ConnParam) Errno { return l.withParam(l.accept, i, p) }

func (l *Lib) withParam(fn uintptr, i ID, p *ConnParam) Errno {
	type both struct {
		param connParamLayout
		data  [MaxPrivateData]byte
	}
	if len(p.PrivateData) > MaxPrivateData {
		return EINVAL
	}
	a, b, e := scratch[both]()
	if e != 0 {
		return e
	}
	defer b.release()
	a.param = connParamLayout{
		privateData: b.addr + uintptr(sizeOf[connParamLayout]()), privateDataLen: uint8(len(p.PrivateData)),
		responderResources: p.ResponderResources, initiatorDepth: p.InitiatorDepth,
		flowControl: p.FlowControl, retryCount: p.RetryCount, rnrRetryCount: p.RNRRetryCount,
		srq: p.SRQ, qpNum: p.QPNum,
	}
	copy(a.data[:], p.PrivateData)
	return call2(fn, i, b.addr).verbs()
}

// Listen is rdma_listen.
func (l *Lib) Listen(i ID, backlog int) Errno { return call2(l.listen, i, uintptr(backlog)).verbs() }

// Reject is rdma_reject, for an ID that came with CMConnectRequest.
func (l *Lib) Reject(i ID, private []byte) Errno {
	if len(private) > MaxPrivateData {
		return EINVAL
	}
	a, b, e := scratch[[MaxPrivateData]byte]()
	if e != 0 {
		return e
	}
	defer b.release()
	copy(a[:], private)
	return call3(l.reject, i, b.addr, uintptr(len(private))).verbs()
}

// Disconnect is rdma_disconnect.
func (l *Lib) Disconnect(i ID) Errno { return call1(l.disconnect, i).verbs() }

// Establish is rdma_establish, for IDs without a queue pair of their own.
func (l *Lib) Establish(i ID) Errno { return call1(l.establish, i).verbs() }
