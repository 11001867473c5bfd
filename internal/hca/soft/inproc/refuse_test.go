package inproc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// A refused request ends the connection on both sides, and everything behind it is flushed, once each.
func TestARefusedRequestEndsTheConnection(t *testing.T) {
	for _, try := range []struct {
		what         string
		wr           func(a, b *softtest.End) hca.SendWR
		ours, theirs hca.Status // theirs: of the receive
	}{
		{"a key that does not exist", func(a, b *softtest.End) hca.SendWR {
			return hca.SendWR{Op: hca.OpWrite, Local: part(a, 0, 8), Remote: b.MR.Addr(), RKey: b.MR.RKey() + 1}
		}, hca.StatusRemoteAccess, hca.StatusFlushed},
		{"bytes behind the region", func(a, b *softtest.End) hca.SendWR {
			return hca.SendWR{Op: hca.OpRead, Local: part(a, 0, 8), Remote: b.MR.Addr() + 4090, RKey: b.MR.RKey()}
		}, hca.StatusRemoteAccess, hca.StatusFlushed},
		{"an atomic on a word that is not aligned", func(a, b *softtest.End) hca.SendWR {
			return hca.SendWR{Op: hca.OpFetchAdd, Local: part(a, 0, 8), Remote: b.MR.Addr() + 4, RKey: b.MR.RKey()}
		}, hca.StatusRemoteInvalid, hca.StatusFlushed},
		{"own memory that is not registered", func(a, b *softtest.End) hca.SendWR {
			return hca.SendWR{Op: hca.OpSend, Local: part(b, 0, 8)}
		}, hca.StatusLocalProtection, hca.StatusFlushed},
		{"a message that is longer than the receive", func(a, b *softtest.End) hca.SendWR {
			return hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 200)}
		}, hca.StatusRemoteInvalid, hca.StatusLocalLength},
	} {
		t.Run(try.what, func(t *testing.T) {
			a, b := softtest.Connect(t, "loop", 16, 4096)
			must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, 100)}))
			must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, 100)}))
			must(t, a.QP.PostSend(try.wr(a, b)))
			must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 8)}))
			entries(t, a.SendCQ, try.ours, hca.StatusFlushed)
			entries(t, b.RecvCQ, try.theirs, hca.StatusFlushed)
			must(t, b.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(b, 0, 8)}))
			entries(t, b.SendCQ, hca.StatusFlushed)
			if ready(a.SendCQ) || ready(a.RecvCQ) || ready(b.SendCQ) || ready(b.RecvCQ) {
				t.Error("a request or receive completed twice")
			}
		})
	}
}

func TestConnectingIsRefused(t *testing.T) {
	a, b := softtest.NewEnd(t, "loop", 4, 64), softtest.NewEnd(t, "loop", 4, 64)
	code := func(err error, want hca.Code) *hca.Error {
		t.Helper()
		e, _ := errors.AsType[*hca.Error](err)
		if e == nil || e.Code != want {
			t.Fatalf("%v, want %v", err, want)
		}
		return e
	}
	reject := func(r hca.ConnRequest) bool {
		go func() { _ = r.Reject([]byte("no")) }()
		return true
	}
	l, err := b.A.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: reject})
	must(t, err)
	_, err = a.A.Listen(context.Background(), hca.ListenConfig{Address: l.Addr(), OnRequest: reject})
	code(err, hca.ServiceInUse)
	e := code(a.QP.Connect(context.Background(), l.Addr(), hca.ConnParams{}), hca.Rejected)
	if string(e.Private) != "no" {
		t.Errorf("the rejection came with %q", e.Private)
	}
	l.Close()
	code(b.QP.Connect(context.Background(), l.Addr(), hca.ConnParams{}), hca.Refused)
}
