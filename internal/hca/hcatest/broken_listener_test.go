package hcatest_test

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// listener is a listener with another address or end.
type listener struct {
	hca.Listener
	addr  string
	close func() error
}

func (l *listener) Addr() string {
	if l.addr != "" {
		return l.addr
	}
	return l.Listener.Addr()
}

func (l *listener) Close() error {
	if l.close != nil {
		return l.close()
	}
	return l.Listener.Close()
}

// listens makes a defect of the listeners that Listen has made.
func listens(f func(ln hca.Listener) hca.Listener) func() *defect {
	return func() *defect {
		return &defect{listen: func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error) {
			ln, err := a.Listen(ctx, cfg)
			if err != nil {
				return nil, err
			}
			return f(ln), nil
		}}
	}
}

// deaf is a listener that nobody reaches.
type deaf string

func (d deaf) Addr() string { return string(d) }
func (deaf) Close() error   { return nil }

// anyListener makes a defect that lets a service have several listeners, if f says so of the address.
func anyListener(f func(address string) bool) func() *defect {
	return func() *defect {
		return &defect{listen: func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error) {
			ln, err := a.Listen(ctx, cfg)
			if errors.Is(err, hca.ServiceInUse) && f(cfg.Address) {
				return deaf(cfg.Address), nil
			}
			return ln, err
		}}
	}
}

// ends makes a defect that ends something of a listener with it.
func ends(end func(requests []hca.ConnRequest, accepted []hca.QP)) func() *defect {
	return func() *defect {
		var mu sync.Mutex
		var requests []hca.ConnRequest
		var accepted []hca.QP
		return &defect{
			accept: func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error {
				mu.Lock()
				accepted = append(accepted, qp)
				mu.Unlock()
				return r.Accept(ctx, qp, p)
			},
			listen: func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error) {
				take := cfg.OnRequest
				cfg.OnRequest = func(r hca.ConnRequest) bool {
					mu.Lock()
					requests = append(requests, r)
					mu.Unlock()
					return take(r)
				}
				ln, err := a.Listen(ctx, cfg)
				if err != nil {
					return nil, err
				}
				return &listener{Listener: ln, close: func() error {
					mu.Lock()
					defer mu.Unlock()
					end(requests, accepted)
					return ln.Close()
				}}, nil
			},
		}
	}
}

var brokenListeners = []broken{
	{"gives all listeners one free service", func() *defect {
		first := ""
		return listens(func(ln hca.Listener) hca.Listener {
			if first == "" {
				first = ln.Addr()
			}
			return &listener{Listener: ln, addr: first}
		})()
	}, []string{"listener/service 0 is | is listened on twice"}},
	{"gives a service two listeners", anyListener(func(string) bool { return true }),
		[]string{"listener/a service has one | Listen: succeeded"}},
	{"gives a service a listener on every address beside another", anyListener(func(address string) bool { return strings.HasPrefix(address, ":") }),
		[]string{"listener/a service has one | Listen on every address: succeeded"}},
	{"keeps the service of a closed listener", listens(func(ln hca.Listener) hca.Listener {
		return &listener{Listener: ln, close: func() error { return nil }}
	}), []string{"listener/a service has one | Listen on a service that is free again"}},
	{"takes a listener without a callback", func() *defect {
		return &defect{listen: func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error) {
			if cfg.OnRequest == nil {
				cfg.OnRequest = func(hca.ConnRequest) bool { return false }
			}
			return a.Listen(ctx, cfg)
		}}
	}, []string{"listener/a listener without a callback | Listen: succeeded"}},
	{"drops delivered requests with their listener", ends(func(requests []hca.ConnRequest, _ []hca.QP) {
		for _, r := range requests {
			_ = r.Reject(nil)
		}
	}), []string{"listener/requests delivered before | Accept: "}},
	{"ends connections with their listener", ends(func(_ []hca.ConnRequest, accepted []hca.QP) {
		for _, qp := range accepted {
			_ = qp.Disconnect(false)
		}
	}), []string{"listener/closing it leaves"}},
	{"leaves the peers of a closed adapter waiting", func() *defect {
		return &defect{close: func(hca.Adapter) error { return nil }}
	}, []string{"listener/closing the adapter | Connect: "}},
	{"accepts requests of a closed adapter", func() *defect {
		return &defect{accept: func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error {
			if err := r.Accept(ctx, qp, p); !errors.Is(err, hca.Closed) && !errors.Is(err, hca.State) {
				return err
			}
			return nil
		}}
	}, []string{"listener/closing the adapter | Accept: succeeded"}},
	{"rejects requests of a closed adapter", func() *defect {
		return &defect{reject: func(r hca.ConnRequest, private []byte) error {
			if err := r.Reject(private); !errors.Is(err, hca.Closed) && !errors.Is(err, hca.State) {
				return err
			}
			return nil
		}}
	}, []string{"listener/closing the adapter | Reject: succeeded"}},
}
