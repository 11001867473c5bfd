package rsock

import "errors"

// Ends is which directions of a connection are open. The zero value is a connection that is open
// both ways. The methods that this side's program causes tell which message to send, if any.
type Ends struct {
	noRead  bool // nothing more will be read: the program or the peer said so
	noWrite bool
	ended   bool // the peer has said that it sends no more
	shut    bool // the program has closed the direction to the peer
	cut     bool // the peer has disconnected
	said    bool // this side has
}

// CloseWrite ends the direction to the peer.
func (e *Ends) CloseWrite() (Message, bool) {
	e.shut = true
	if e.noWrite {
		return 0, false
	}
	e.noWrite = true
	if e.noRead {
		return e.disconnect()
	}
	return Shutdown, true
}

// CloseRead ends the direction from the peer, which is not told unless that was the last one.
func (e *Ends) CloseRead() (Message, bool) {
	if e.noRead {
		return 0, false
	}
	e.noRead = true
	if e.noWrite {
		return e.disconnect()
	}
	return 0, false
}

// Close ends both directions.
func (e *Ends) Close() (Message, bool) {
	if e.noRead && e.noWrite {
		return 0, false
	}
	e.noRead, e.noWrite = true, true
	return e.disconnect()
}

func (e *Ends) disconnect() (Message, bool) {
	e.said = true
	return Disconnect, true
}

// PeerShutdown: the peer sends no more data.
func (e *Ends) PeerShutdown() { e.noRead, e.ended = true, true }

// PeerDisconnect: the peer neither sends nor receives any more.
func (e *Ends) PeerDisconnect() { e.noRead, e.noWrite, e.ended, e.cut = true, true, true, true }

// Data takes note of a data message. There is none after the peer's end: the program may have read the end already.
func (e *Ends) Data() error {
	if e.ended {
		return errors.New("a data message came behind the end")
	}
	return nil
}

// Readable reports whether more data can arrive.
func (e *Ends) Readable() bool { return !e.noRead }

// Writable reports whether data may be sent.
func (e *Ends) Writable() bool { return !e.noWrite }

// Cut reports whether it is the peer, and not the program, that has closed the direction to the peer.
func (e *Ends) Cut() bool { return e.cut && !e.shut }

// Over reports whether the connection can be taken down.
func (e *Ends) Over() bool { return e.noRead && e.noWrite }

// Said reports whether this side has disconnected.
func (e *Ends) Said() bool { return e.said }
