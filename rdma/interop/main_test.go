package interop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

const (
	serveVariable = "GODAPL_INTEROP_SERVE" // "ADAPTER ADDRESS": be the partner there
	withVariable  = "GODAPL_INTEROP_WITH"  // "ADAPTER ADDRESS": be active, with the partner there
)

func TestMain(m *testing.M) {
	if where := os.Getenv(serveVariable); where != "" {
		os.Exit(serve(where))
	}
	var err error
	if worlds, err = makeWorlds(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	for _, w := range worlds {
		w.end()
	}
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// serve is the partner of another process.
func serve(where string) int {
	name, address, _ := strings.Cut(where, " ")
	p, err := startPartner(context.Background(), name, address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("waiting at", p.ln.Addr().String())
	<-p.quit
	p.end()
	return 0
}

// A world is an active side and where its partner is.
type world struct {
	name    string
	adapter *rdma.Adapter
	address string
	own     *partner // nil: in another process
	missing string   // why there is no such world
}

var worlds []*world

func makeWorlds() ([]*world, error) {
	ctx := context.Background()
	if with := os.Getenv(withVariable); with != "" {
		name, address, _ := strings.Cut(with, " ")
		a, err := rdma.Open(ctx, name, rdma.OpenConfig{})
		if err != nil {
			return nil, err
		}
		w := &world{name: name + " with another process", adapter: a, address: address}
		return []*world{w}, w.await(ctx)
	}
	pairs := [][2]string{{"soft-tcp", "soft-tcp"}}
	siw := ""
	for _, name := range rdma.Adapters() {
		if strings.HasPrefix(name, "siw") && !strings.Contains(name, ":") {
			siw = name
			break
		}
	}
	if siw != "" {
		pairs = append(pairs, [2]string{"soft-tcp", siw}, [2]string{siw, "soft-tcp"})
	}
	var list []*world
	for _, pair := range pairs {
		w := &world{name: pair[0] + " with " + pair[1]}
		list = append(list, w)
		host := "127.0.0.1"
		if siw != "" && (pair[0] == siw || pair[1] == siw) {
			var err error
			if host, err = addressOf(ctx, siw); err != nil {
				return nil, err
			}
		}
		var err error
		if w.own, err = startPartner(ctx, pair[1], host+":0"); err != nil {
			return nil, err
		}
		w.address = w.own.ln.Addr().String()
		if w.adapter, err = rdma.Open(ctx, pair[0], rdma.OpenConfig{}); err != nil {
			return nil, err
		}
	}
	if siw == "" {
		list = append(list, &world{name: "siw", missing: "this machine has no siw device"})
	}
	return list, nil
}

// await waits for a partner in another process, which may be on a machine that is
// being started.
func (w *world) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	zone, err := w.adapter.NewZone()
	if err != nil {
		return err
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := w.adapter.Dial(ctx, w.address, rdma.EndpointConfig{Zone: zone, Private: (&order{Do: "reject"}).private(0)})
		if errors.Is(err, rdma.ErrRejected) {
			return zone.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("no partner: %w", err)
		}
	}
}

func addressOf(ctx context.Context, name string) (string, error) {
	a, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return "", err
	}
	defer a.Close()
	return a.Attributes().Address, nil
}

func (w *world) end() {
	if w.missing != "" {
		return
	}
	if w.own == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		zone, err := w.adapter.NewZone()
		if err == nil {
			_, err = w.adapter.Dial(ctx, w.address, rdma.EndpointConfig{Zone: zone, Private: (&order{Do: "quit"}).private(0)})
		}
		_ = err // the partner is told, or is gone already
	}
	w.adapter.Close()
	if w.own != nil {
		w.own.end()
	}
}

// eachWorld runs a test in every world.
func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			if w.missing != "" {
				t.Skip(w.missing)
			}
			test(t, w)
		})
	}
}
