package rdma

// workError makes the error of a failed completion. The caller adds the connection as the
// object.
func workError(c *Completion, object string) error {
	return &Error{Op: c.Op.String(), Object: object, Code: ErrWork, Status: c.Status, Vendor: c.Vendor, Detail: cures[c.Status]}
}

// cures has the usual cause and remedy of each status.
var cures = map[Status]string{
	StatusFlushed:          "the connection ended before it was done; the context of the Conn says why",
	StatusLocalLength:      "the message is longer than the receive that was posted for it; post larger receives",
	StatusLocalEndpoint:    "the request was malformed or the endpoint broke; the connection event says why",
	StatusLocalProtection:  "the local memory was freed, or is of another zone; free regions after their completions",
	StatusBindFailed:       "the window could not be bound; its region was freed, or lacks the rights",
	StatusBadResponse:      "the peer does not keep to the protocol",
	StatusRemoteAccess:     "the peer's memory was freed or unbound, lacks the right, is of another zone or shorter; ask the peer for a new key",
	StatusRemoteInvalid:    "the peer could not accept it; most often its receive was too small",
	StatusRemoteOp:         "the peer could not carry it out; its own errors say why",
	StatusTransport:        "the peer does not answer; check the network and whether it still runs",
	StatusReceiverNotReady: "the peer had no receive posted; post receives earlier, or let OpenConfig.ReceiveWait be longer there",
	StatusFatal:            "the adapter is broken; close it and open it again",
}
