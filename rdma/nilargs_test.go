package rdma_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// nilCalls calls every exported function of the package with nil for one argument, by
// the function's and the argument's name.
func nilCalls(t *testing.T) map[string]func() error {
	a, p := connect(t, "soft-loop")
	idle, err := a.adapter.NewEndpoint(rdma.EndpointConfig{Zone: a.zone})
	must(t, err)
	ln := listen(t, p.adapter)
	ended := make(chan struct{})
	gone, end := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		a.adapter.Dial(gone, ln.Addr().String(), rdma.EndpointConfig{Zone: a.zone})
	}()
	req := <-ln.Requests()
	t.Cleanup(func() { end(); <-ended })
	var ctx context.Context
	cfg, here, far := rdma.EndpointConfig{Zone: p.zone}, a.mem.Slice(0, 8), p.mem.Slice(0, 8).Remote()
	d, none := event.New[int](event.Config{}), (*event.Dispatcher[int])(nil)
	t.Cleanup(func() { d.Close() })
	mine, err := p.adapter.NewEndpoint(cfg)
	must(t, err)
	w, err := a.zone.NewWindow(mem.ZoneWindow)
	must(t, err)
	err1 := func(_ any, err error) error { return err }
	return map[string]func() error{
		"ConnRequest.Accept ctx":       func() error { return err1(req.Accept(ctx, cfg)) },
		"ConnRequest.AcceptOn ctx":     func() error { return err1(req.AcceptOn(ctx, mine, rdma.ConnConfig{})) },
		"ConnRequest.AcceptOn e":       func() error { return err1(req.AcceptOn(t.Context(), nil, rdma.ConnConfig{})) },
		"ConnRequest.AcceptAsync ctx":  func() error { return req.AcceptAsync(ctx, mine, rdma.ConnConfig{}, func(*rdma.Conn, error) {}) },
		"ConnRequest.AcceptAsync e":    func() error { return req.AcceptAsync(t.Context(), nil, rdma.ConnConfig{}, func(*rdma.Conn, error) {}) },
		"ConnRequest.AcceptAsync done": func() error { return req.AcceptAsync(t.Context(), mine, rdma.ConnConfig{}, nil) },
		"ConnRequest.HandOff to":       func() error { return req.HandOff(nil) },
		"Conn.Send ctx":                func() error { return a.conn.Send(ctx, here) },
		"Conn.Recv ctx":                func() error { return err1(a.conn.Recv(ctx, here)) },
		"Conn.Receive ctx":             func() error { return err1(a.conn.Receive(ctx, here)) },
		"Conn.Read ctx":                func() error { return err1(a.conn.Read(ctx, here, far)) },
		"Conn.Write ctx":               func() error { return err1(a.conn.Write(ctx, here, far)) },
		"Conn.FetchAdd ctx":            func() error { return err1(a.conn.FetchAdd(ctx, far, 1)) },
		"Conn.CompareSwap ctx":         func() error { return err1(a.conn.CompareSwap(ctx, far, 1, 1)) },
		"Conn.Bind ctx":                func() error { return err1(a.conn.Bind(ctx, w, here, mem.RemoteRead)) },
		"Conn.Bind w":                  func() error { return err1(a.conn.Bind(t.Context(), nil, here, mem.RemoteRead)) },
		"Conn.Shutdown ctx":            func() error { return a.conn.Shutdown(ctx) },
		"Conn.ReaderAt ctx":            func() error { return err1(a.conn.ReaderAt(ctx, far).ReadAt(make([]byte, 1), 0)) },
		"Conn.WriterAt ctx":            func() error { return err1(a.conn.WriterAt(ctx, far).WriteAt(make([]byte, 1), 0)) },
		"Zone.RegisterAgain r":         func() error { return err1(a.zone.RegisterAgain(nil, mem.Local)) },
		"Zone.Adopt r":                 func() error { return err1(a.zone.Adopt(nil, mem.Local)) },
		"Open ctx":                     func() error { return err1(rdma.Open(ctx, "soft-loop", rdma.OpenConfig{})) },
		"RegisterFabric f":             func() error { return rdma.RegisterFabric("test-nil", nil) },
		"Adapter.Dial ctx":             func() error { return err1(a.adapter.Dial(ctx, ln.Addr().String(), cfg)) },
		"Adapter.Listen ctx":           func() error { return err1(a.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})) },
		"Endpoint.Connect ctx":         func() error { return err1(idle.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})) },
		"Endpoint.ConnectAsync ctx": func() error {
			return idle.ConnectAsync(ctx, ln.Addr().String(), rdma.ConnConfig{}, func(*rdma.Conn, error) {})
		},
		"Conn.PostWriteOf w":         func() error { return a.conn.PostWriteOf(nil) },
		"Endpoint.PostWriteOf w":     func() error { return a.conn.Endpoint().PostWriteOf(nil) },
		"Endpoint.ConnectAsync done": func() error { return idle.ConnectAsync(t.Context(), ln.Addr().String(), rdma.ConnConfig{}, nil) },
		// These have no error to return.
		"Listener.AcceptAll ctx": func() error { ln.AcceptAll(ctx, cfg); return nil },
		"NewSink d":              func() error { rdma.NewSink(none, func(*int, *rdma.ConnEvent) {}); return nil },
		"NewSink put":            func() error { rdma.NewSink[rdma.ConnEvent](d, nil); return nil },
		"SinkFunc handle":        func() error { rdma.SinkFunc[rdma.ConnEvent](nil); return nil },
	}
}

// A nil argument is an error of the call, or, where the call returns none, a panic that
// names it. The list above has every function there is.
func TestNilArguments(t *testing.T) {
	calls := nilCalls(t)
	want := nilable(t)
	if have := slices.Sorted(maps.Keys(calls)); !slices.Equal(have, want) {
		t.Errorf("called are\n%s\nthere are\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	for name, call := range calls {
		func() {
			defer func() {
				if v := recover(); v != nil && !strings.HasPrefix(fmt.Sprint(v), "rdma: "+strings.Fields(name)[0]+": ") {
					t.Errorf("%s: panic: %v", name, v)
				} else if v != nil {
					t.Logf("%s: %v", name, v)
				}
			}()
			err := call()
			wantCode(t, err, rdma.ErrInvalid, name)
		}()
	}
}

// nilable is the arguments of exported functions that can be nil and must not be:
// contexts, pointers, functions and interfaces.
func nilable(t *testing.T) (names []string) {
	fset := token.NewFileSet()
	files, err := os.ReadDir(".")
	must(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, file.Name(), nil, 0)
		must(t, err)
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				recv := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
				if !ast.IsExported(recv) {
					continue
				}
				name = recv + "." + name
			}
			if name == "Endpoint.Describe" {
				continue // nil takes the function back
			}
			for _, p := range fn.Type.Params.List {
				typ := types.ExprString(p.Type)
				if !strings.HasPrefix(typ, "*") && !strings.HasPrefix(typ, "func(") && typ != "context.Context" && typ != "Fabric" {
					continue
				}
				for _, arg := range p.Names {
					names = append(names, name+" "+arg.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
