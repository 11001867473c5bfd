package stream_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// Operations that not every peer supports wait until the peer is identified, but not for ever: a peer that is
// silent for ten seconds does not support them.
func TestOperationsTowardsASilentPeer(t *testing.T) {
	for name, wr := range map[string]hca.SendWR{
		"fetch-add": {ID: 5, Op: hca.OpFetchAdd}, "compare-swap": {ID: 5, Op: hca.OpCompareSwap}, "write-immediate": {ID: 5, Op: hca.OpWriteImm},
	} {
		for _, initiator := range []bool{true, false} {
			t.Run(map[bool]string{true: "initiator/", false: "responder/"}[initiator]+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { silentPeer(t, initiator, wr) })
			})
		}
	}
}

func silentPeer(t *testing.T, initiator bool, wr hca.SendWR) {
	p := softtest.NewPipes()
	l := softtest.NewLone(t, soft.FabricDriver("pipes", p), hca.Options{}, hca.QPConfig{ReadsOut: 4, ReadsIn: 4})
	if initiator {
		go func() {
			c := <-p.Dialled
			softtest.ReadRequest(t, c)
			b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
			_, _ = c.Write(b)
			softtest.DrainPipe(c)
		}()
		if err := l.QP.Connect(t.Context(), "anywhere:7", hca.ConnParams{}); err != nil {
			t.Fatal(err)
		}
	} else {
		accepted := make(chan error, 1)
		ln, err := l.A.Listen(t.Context(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(r hca.ConnRequest) bool {
			go func() { accepted <- r.Accept(context.Background(), l.QP, hca.ConnParams{}) }()
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		ours, c := net.Pipe()
		p.Accepted <- ours
		b, _ := iwarp.AppendRequest(nil, &iwarp.Frame{Revision: iwarp.Revision1, CRC: true})
		_, _ = c.Write(b)
		go softtest.DrainPipe(c)
		if err := <-accepted; err != nil {
			t.Fatal(err)
		}
	}
	<-l.Events // established
	before := time.Now()
	wr.Local = l.Seg(8)
	for range 2 { // the second is flushed
		if err := l.QP.PostSend(wr); err != nil {
			t.Fatal(err)
		}
		wr.ID++
	}
	select {
	case ev := <-l.Events:
		var e *hca.Error
		if ev.Kind != hca.EventBroken || !errors.As(ev.Err, &e) || e.Status != hca.StatusTransport || !strings.Contains(e.Detail, "RFC 7306") {
			t.Errorf("the connection ended with %+v", ev)
		}
	case <-time.After(time.Hour):
		t.Fatal("the request waits for ever")
	}
	if d := time.Since(before); d != 10*time.Second {
		t.Errorf("it waited %v", d)
	}
	var wcs [4]hca.WC
	if n := l.CQ.Poll(wcs[:]); n != 2 || wcs[0].ID != 5 || wcs[0].Status != hca.StatusTransport || wcs[1].Status != hca.StatusFlushed {
		t.Errorf("the requests ended with %+v", wcs[:n])
	}
}
