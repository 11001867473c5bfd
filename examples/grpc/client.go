package main

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// unary makes one call.
func unary(ctx context.Context, c grpc.ClientConnInterface, word string) (string, error) {
	var answer message
	err := c.Invoke(ctx, "/godapl.Upper/Word", wrapperspb.String(word), &answer)
	return answer.Value, err
}

// stream sends the words, and takes the answers meanwhile: both sides have only so much room for what
// the other has not read.
func stream(ctx context.Context, c grpc.ClientConnInterface, words []string) (answers []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	s, err := c.NewStream(ctx, &description.Streams[0], "/godapl.Upper/Words")
	if err != nil {
		cancel()
		return nil, err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for _, word := range words {
			if s.SendMsg(wrapperspb.String(word)) != nil {
				return // RecvMsg tells why
			}
		}
		_ = s.CloseSend()
	}()
	defer func() {
		cancel()
		<-sent
	}()
	for {
		var answer message
		if err := s.RecvMsg(&answer); err == io.EOF {
			return answers, nil
		} else if err != nil {
			return answers, err
		}
		answers = append(answers, answer.Value)
	}
}
