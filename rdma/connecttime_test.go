package rdma_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
)

// TestConnectWithoutADeadlineEnds: where nobody answers, ten seconds are the limit, within
// the process as over streams. The other paths share the limit.
func TestConnectWithoutADeadlineEnds(t *testing.T) {
	const piped = "acme-patient"
	must(t, rdma.RegisterFabric(piped, newPipes()))
	defer rdma.UnregisterFabric(piped)
	for _, name := range []string{"soft-loop", piped} {
		t.Run(name, func(t *testing.T) { connectWithoutADeadline(t, name) })
	}
}

func connectWithoutADeadline(t *testing.T, name string) {
	synctest.Test(t, func(t *testing.T) {
		x, err := rdma.Open(context.Background(), name, rdma.OpenConfig{})
		must(t, err)
		defer x.Close()
		ln, err := x.Listen(context.Background(), "127.0.0.1:7471", rdma.ListenConfig{})
		must(t, err)
		zone, err := x.NewZone()
		must(t, err)
		begin := time.Now()
		_, err = x.Dial(context.Background(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
		wantCode(t, err, rdma.ErrTimeout, "nobody accepts")
		if d := time.Since(begin); d != 10*time.Second {
			t.Errorf("it took %v", d)
		}
		if !strings.Contains(err.Error(), "deadline") {
			t.Errorf("%v: it does not say what to do", err)
		}
		// A deadline counts alone, also a later one.
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		begin = time.Now()
		_, err = x.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
		wantCode(t, err, rdma.ErrTimeout, "nobody accepts")
		if d := time.Since(begin); d != time.Hour {
			t.Errorf("it took %v of an hour", d)
		}
	})
}
