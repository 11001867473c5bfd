package main

import (
	"context"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/godapl/godapl/examples/rpc/contest"
)

// overGRPC is unary calls of gRPC.
func overGRPC(name, network string) contest.Contender {
	against := map[string]string{"unix": "unix", "tcp": "net"}[network]
	return contest.Contender{Name: name, Against: against,
		Serve: func(context.Context, int) (string, func(), error) {
			if network != "unix" {
				return serveGRPC(network, "127.0.0.1:0", func() {})
			}
			dir, err := os.MkdirTemp("", "rpc")
			if err != nil {
				return "", nil, err
			}
			return serveGRPC(network, filepath.Join(dir, "s"), func() { os.RemoveAll(dir) })
		},
		Dial: func(_ context.Context, address string, s contest.Setting) ([]contest.Client, func(), error) {
			target := "passthrough:///" + address
			if network == "unix" {
				target = "unix:" + address
			}
			return dialGRPC(target, s)
		},
	}
}

func serveGRPC(network, address string, after func()) (string, func(), error) {
	ln, err := net.Listen(network, address)
	if err != nil {
		after()
		return "", nil, err
	}
	server := grpc.NewServer()
	server.RegisterService(&description, nil)
	var serving errgroup.Group
	serving.Go(func() error { return server.Serve(ln) })
	return ln.Addr().String(), func() {
		server.Stop()
		_ = serving.Wait()
		after()
	}, nil
}

func dialGRPC(target string, s contest.Setting) (clients []contest.Client, stop func(), err error) {
	var all []*grpc.ClientConn
	stop = func() {
		for _, conn := range all {
			conn.Close()
		}
	}
	for range s.Clients {
		conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, conn)
		clients = append(clients, func(ctx context.Context, lanes []*contest.Lane) error {
			return contest.Each(lanes, func(l *contest.Lane) error { return unary(ctx, conn, s.Size, l) })
		})
	}
	return clients, stop, nil
}

func unary(ctx context.Context, conn *grpc.ClientConn, size int, l *contest.Lane) error {
	request, answer := &wrapperspb.BytesValue{Value: make([]byte, size)}, new(wrapperspb.BytesValue)
	for l.Next(request.Value) {
		if err := conn.Invoke(ctx, "/godapl.Calls/Call", request, answer); err != nil {
			return err
		}
		if err := l.Check(answer.Value); err != nil {
			return err
		}
	}
	return nil
}

// description is what protoc generates for a service of one method.
var description = grpc.ServiceDesc{
	ServiceName: "godapl.Calls",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Call",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			message := new(wrapperspb.BytesValue)
			if err := decode(message); err != nil {
				return nil, err
			}
			contest.Answer(message.Value)
			return message, nil
		},
	}},
}
