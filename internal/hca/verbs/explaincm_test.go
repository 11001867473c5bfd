package verbs

import (
	"bytes"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func TestAnswersOfTheConnectionManager(t *testing.T) {
	ib, iw := &adapter{}, &adapter{iwarp: true}
	padded := append(bytes.Clone(refusal), make([]byte, 40)...)
	for _, c := range []struct {
		name    string
		a       *adapter
		typ     ibv.CMEventType
		status  int
		private []byte
		code    hca.Code
		word    string
	}{
		{"address", ib, ibv.CMAddrError, -int(ibv.ETIMEDOUT), nil, hca.Unreachable, "did not answer"},
		{"device", ib, ibv.CMAddrError, -int(ibv.ENODEV), nil, hca.Unreachable, "no RDMA device has a way"},
		{"route", ib, ibv.CMRouteError, -int(ibv.EHOSTUNREACH), nil, hca.Unreachable, "no route"},
		{"GID", ib, ibv.CMRouteError, -int(ibv.ENETUNREACH), nil, hca.Unreachable, "no GID of the device"},
		{"silent", ib, ibv.CMUnreachable, 0, nil, hca.Unreachable, "did not answer"},
		{"silent with a number", iw, ibv.CMUnreachable, -int(ibv.ECONNRESET), nil, hca.Unreachable, "did not answer"},
		{"failure", iw, ibv.CMConnectError, -int(ibv.EPROTO), nil, hca.Refused, "something else"},
		{"a message too early", iw, ibv.CMConnectError, -int(ibv.EINVAL), nil, hca.Refused, "together with it"},
		{"failure without a number", ib, ibv.CMConnectError, 0, nil, hca.Unreachable, "could not be made"},
		{"end", ib, ibv.CMDisconnected, 0, nil, hca.Disconnected, "peer"},
		{"removal", ib, ibv.CMDeviceRemoval, 0, nil, hca.Broken, "removed"},
		{"nonsense", ib, ibv.CMMulticastJoin, 0, nil, hca.Internal, "event 12"},
		{"no listener", ib, ibv.CMRejected, 8, nil, hca.Refused, "nobody listens"},
		{"no listener", iw, ibv.CMRejected, -int(ibv.ECONNREFUSED), nil, hca.Refused, "nobody listens"},
		{"late", ib, ibv.CMRejected, 4, nil, hca.Unreachable, "in time"},
		{"GID of the peer", ib, ibv.CMRejected, 12, nil, hca.Refused, "GID"},
		{"reads", ib, ibv.CMRejected, 27, nil, hca.Refused, "ReadsOut"},
		{"unknown reason", ib, ibv.CMRejected, 77, nil, hca.Refused, "reason 77"},
		{"program", ib, ibv.CMRejected, 28, []byte("no"), hca.Rejected, "program"},
		{"program", iw, ibv.CMRejected, -int(ibv.ECONNRESET), nil, hca.Rejected, "program"},
		{"program with a word", iw, ibv.CMRejected, -int(ibv.ECONNREFUSED), []byte("no"), hca.Rejected, "program"},
		{"no room", ib, ibv.CMRejected, 28, padded, hca.Refused, "no room"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.a.explainCM("Connect", "192.0.2.1:7471", &ibv.CMEvent{Type: c.typ, Status: c.status, Conn: ibv.ConnParam{PrivateData: c.private}})
			told(t, err, c.code, "Connect 192.0.2.1:7471: ", c.word)
			var e *hca.Error
			if errors.As(err, &e); c.code == hca.Rejected && !bytes.Equal(e.Private, c.private) {
				t.Errorf("private data %q", e.Private)
			}
			if c.status < 0 && c.code != hca.Rejected && !errors.Is(err, ibv.Errno(-c.status)) {
				t.Errorf("%v does not hold its cause", err)
			}
			if e := ibv.Errno(0); errors.As(err, &e) && e == 0 {
				t.Errorf("%v holds an error number that is none", err)
			}
		})
	}
	for reason, text := range rejections {
		if len(text) < 20 {
			t.Errorf("reason %d: %q", reason, text)
		}
	}
}
