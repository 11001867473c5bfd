package stream

import (
	"errors"
	"io"
	"net"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/iwarp"
)

// answered is why a stream was refused whose peer was told: it is to be closed so that the answer arrives.
type answered struct {
	error
	conn net.Conn
}

func (a *answered) Unwrap() error { return a.error }

// errLeft: the peer has ended the stream before it had sent anything. Programs that watch ports do that.
var errLeft = errors.New("the peer has left without a request")

// refused ends a stream that did not become a request. The operator is told first: that must not wait until the peer
// has read its answer.
func (s *listener) refused(x *halfopen.Stream[net.Conn], err error) {
	cause := err
	if x.Evicted() {
		cause = halfopen.ErrEvicted
	}
	if peerLeft(cause) {
		s.l.Adapter.Log.Debug("a stream ended before its request", "remote", x.Conn.RemoteAddr(), "error", cause)
	} else {
		s.l.Adapter.Refused(x.Conn.RemoteAddr().String(), asRefusal(s.l, cause))
	}
	if a, ok := errors.AsType[*answered](err); ok {
		closeAfterReply(a.conn)
	}
}

// peerLeft reports whether the peer ended the stream itself.
func peerLeft(err error) bool {
	if _, ok := errors.AsType[*hca.Error](err); ok {
		return false
	}
	return err == errLeft || err == io.EOF || errors.Is(err, errno.Reset)
}

// asRefusal is err as an error of the contract.
func asRefusal(l *core.Listener, err error) error {
	if _, ok := errors.AsType[*hca.Error](err); ok {
		return err
	}
	why := "what the peer sent is no request"
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		why = "the request did not come in " + connreq.RequestTime.String()
	case err == halfopen.ErrEvicted:
		why = ""
	}
	return hca.Wrap(hca.Refused, "listen", l.Addr(), why, err)
}

// checkService reads the number of a wide service from the request's private data. A request for another service is
// refused.
func (s *listener) checkService(f *iwarp.Frame) (private []byte, ok bool) {
	wide, rest, ok := unwrapWide(f.Private)
	if ok && s.l.Name == "" {
		return rest, wide == s.service
	}
	return f.Private, s.service <= maxPort
}
