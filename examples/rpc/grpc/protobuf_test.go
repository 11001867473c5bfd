package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// protobuf is a codec for mailboxes whose values are messages of protobuf, by pointer. They are encoded
// into registered memory and decoded from it, without a copy between.
func protobuf[M proto.Message]() *mailbox.Codec[M] {
	var none M
	kind := none.ProtoReflect().Type() // of a nil pointer, too
	return &mailbox.Codec[M]{
		Name: "protobuf " + string(kind.Descriptor().FullName()),
		Append: func(b []byte, m M) ([]byte, error) {
			return proto.MarshalOptions{}.MarshalAppend(b, m)
		},
		Decode: func(b []byte) (M, error) {
			m := kind.New().Interface().(M)
			return m, proto.Unmarshal(b, m)
		},
	}
}

// Messages of protobuf are values and answers of a mailbox.
func Example_protobuf() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[*structpb.Struct, *durationpb.Duration]{
		Values: protobuf[*structpb.Struct](), Answers: protobuf[*durationpb.Duration]()})
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	go func() {
		for m := range box.C() {
			_ = m.Reply(&durationpb.Duration{Seconds: int64(m.Value.Fields["minutes"].GetNumberValue()) * 60})
		}
	}()

	to, err := mailbox.Dial(ctx, adapter, box.Addr().String(), mailbox.DialConfig[*structpb.Struct, *durationpb.Duration]{
		Values: protobuf[*structpb.Struct](), Answers: protobuf[*durationpb.Duration]()})
	if err != nil {
		log.Fatal(err)
	}
	defer to.Close()
	ask, err := structpb.NewStruct(map[string]any{"dish": "eggs", "minutes": 7})
	if err != nil {
		log.Fatal(err)
	}
	d, err := to.Ask(ctx, ask)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.AsDuration())
	// Output: 7m0s
}

// TestProtobufValues: short and long messages arrive as they were sent, bytes that are no message are
// refused, and another message type is another type.
func TestProtobufValues(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			defer a.Close()
			type text = *wrapperspb.StringValue
			box, err := mailbox.Listen(t.Context(), a, "127.0.0.1:0", mailbox.Config[text, text]{Values: protobuf[text](), Answers: protobuf[text]()})
			if err != nil {
				t.Fatal(err)
			}
			defer box.Close()
			go func() {
				for m := range box.C() {
					_ = m.Reply(m.Value)
				}
			}()
			bad := protobuf[text]() // encodes "bad" as half a message
			encode := bad.Append
			bad.Append = func(b []byte, m text) ([]byte, error) {
				b, err := encode(b, m)
				if m.Value == "bad" {
					b = b[:2]
				}
				return b, err
			}
			to, err := mailbox.Dial(t.Context(), a, box.Addr().String(), mailbox.DialConfig[text, text]{Values: bad, Answers: protobuf[text](), MaxAnswer: 200_000})
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			for _, want := range []string{"", "short", strings.Repeat("long ", 30_000)} {
				if got, err := to.Ask(t.Context(), wrapperspb.String(want)); err != nil || !proto.Equal(got, wrapperspb.String(want)) {
					t.Errorf("%d bytes: %d, %v", len(want), len(got.GetValue()), err)
				}
			}
			if _, err := to.Ask(t.Context(), wrapperspb.String("bad")); !errors.Is(err, mailbox.ErrNotDelivered) {
				t.Error(err)
			}
			_, err = mailbox.Dial(t.Context(), a, box.Addr().String(), mailbox.DialConfig[*wrapperspb.BytesValue, text]{
				Values: protobuf[*wrapperspb.BytesValue](), Answers: protobuf[text]()})
			if !errors.Is(err, mailbox.ErrTypes) || !strings.Contains(fmt.Sprint(err), "google.protobuf.BytesValue") {
				t.Error(err)
			}
		})
	}
}
