package fakeibv_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// TestRefusalByAnotherDeviceIsReported: a listener on every address of the host gets the requests for other devices, too.
// It refuses them, which nobody else can tell the operator.
func TestRefusalByAnotherDeviceIsReported(t *testing.T) {
	w := fakeibv.New(fakeibv.Config{Seed: 1, Devices: []string{"fake0", "fake1"}})
	defer w.Close()
	d := verbs.Simulated(w.Lib(), w.Names(), w.Addrs())
	reports := make(chan string, 8)
	open := func(name string) hca.Adapter {
		a, err := d.Open(t.Context(), name, hca.Options{Refused: func(peer string, cause error) { reports <- peer + ": " + cause.Error() }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	listening, other := open("fake0"), open("fake1")
	ln, err := listening.Listen(t.Context(), hca.ListenConfig{Address: ":0", OnRequest: func(hca.ConnRequest) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr())
	pd, err := other.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	cq, err := other.NewCQ(hca.CQConfig{Depth: 64, Notify: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := other.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 4, RecvDepth: 4, SendSGE: 1, RecvSGE: 1, Event: func(hca.ConnEvent) {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Connect(t.Context(), net.JoinHostPort(other.Attr().Address, port), hca.ConnParams{}); !errors.Is(err, hca.Refused) {
		t.Errorf("connecting: %v", err)
	}
	if r := <-reports; !strings.HasPrefix(r, other.Attr().Address+":") || !strings.Contains(r, "came by another device") {
		t.Errorf("reported: %s", r)
	}
}
