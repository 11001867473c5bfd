package dat

// EPDisconnect ends the connection (dat_ep_disconnect), and does not wait: the connect
// dispatchers of both sides get DISCONNECTED. A graceful end completes the posted
// requests first. On an endpoint whose connection is over it does nothing.
func EPDisconnect(epHandle EPHandle, disconnectFlags CloseFlags) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	if disconnectFlags != CloseAbruptFlag && disconnectFlags != CloseGracefulFlag {
		return badArg(2)
	}
	switch s := e.state(); s {
	case EPStateUnconnected, EPStateReserved, EPStatePassiveConnectionPending, EPStateTentativeConnectionPending:
		return e.wrongState(s)
	}
	e.asked.Store(true)
	end := e.native.Abort
	if disconnectFlags == CloseGracefulFlag {
		end = e.native.BeginShutdown
	}
	return result(end(), InvalidStateEPUnconnected, InvalidHandleEP)
}

// EPReset makes an endpoint whose connection is over UNCONNECTED again (dat_ep_reset,
// 1.1). Queued events stay. It waits until no operation of the old connection is under
// way. On an unconnected endpoint it does nothing.
func EPReset(epHandle EPHandle) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.state()
	if s != EPStateUnconnected && s != EPStateDisconnected {
		return e.wrongState(s)
	}
	if err := e.native.Reset(); err != nil {
		return e.wrongState(e.state())
	}
	return Success
}
