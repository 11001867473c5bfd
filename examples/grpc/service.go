package main

import (
	"context"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// message is what both methods take and return.
type message = wrapperspb.StringValue

// upper is the service: it changes words to upper case.
type upper struct{}

func (upper) word(_ context.Context, in *message) (*message, error) {
	return wrapperspb.String(strings.ToUpper(in.Value)), nil
}

func (u upper) words(s grpc.ServerStream) error {
	for {
		var in message
		if err := s.RecvMsg(&in); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := u.word(s.Context(), &in)
		if err != nil {
			return err
		}
		if err := s.SendMsg(answer); err != nil {
			return err
		}
	}
}

// description is what protoc generates from a .proto file, in short:
//
//	service Upper {
//	  rpc Word(google.protobuf.StringValue) returns (google.protobuf.StringValue);
//	  rpc Words(stream google.protobuf.StringValue) returns (stream google.protobuf.StringValue);
//	}
var description = grpc.ServiceDesc{
	ServiceName: "godapl.Upper",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Word",
		Handler: func(srv any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var in message
			if err := decode(&in); err != nil {
				return nil, err
			}
			return srv.(upper).word(ctx, &in)
		},
	}},
	Streams: []grpc.StreamDesc{{
		StreamName: "Words", ServerStreams: true, ClientStreams: true,
		Handler: func(srv any, s grpc.ServerStream) error { return srv.(upper).words(s) },
	}},
}
