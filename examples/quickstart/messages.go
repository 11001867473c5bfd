package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

const pingSize = 8

var rounds = 2000 // of the ping-pong; tests have less patience

// exchange sends the sum of what arrived, and compares it with the one that
// the owner answers with.
func exchange(ctx context.Context, conn *rdma.Conn, arrived [sha256.Size]byte) error {
	buf, err := conn.Zone().Alloc(2*sha256.Size, mem.Local)
	if err != nil {
		return err
	}
	defer buf.Free()
	ours, theirs := buf.Slice(0, sha256.Size), buf.Slice(sha256.Size, sha256.Size)
	copy(ours.Bytes(), arrived[:])
	if err := sendAndReceive(ctx, conn, ours, theirs); err != nil {
		return fmt.Errorf("exchanging the sums: %w", err)
	}
	return compare(arrived[:], theirs.Bytes())
}

func compare(ours, theirs []byte) error {
	if !slices.Equal(ours, theirs) {
		return fmt.Errorf("the file was damaged on its way: SHA-256 is %x here and %x there", ours, theirs)
	}
	return nil
}

// pingPong measures round trips of a small message.
func pingPong(ctx context.Context, conn *rdma.Conn) (median, p99 time.Duration, err error) {
	buf, err := conn.Zone().Alloc(2*pingSize, mem.Local)
	if err != nil {
		return 0, 0, err
	}
	defer buf.Free()
	ping, pong := buf.Slice(0, pingSize), buf.Slice(pingSize, pingSize)
	times := make([]time.Duration, rounds)
	for i := range times {
		began := time.Now()
		if err := sendAndReceive(ctx, conn, ping, pong); err != nil {
			return 0, 0, err
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times[rounds/2], times[rounds*99/100], nil
}

// sendAndReceive sends a message and waits for the answer. The receive is posted
// first, so that the answer finds it.
func sendAndReceive(ctx context.Context, conn *rdma.Conn, message, answer mem.Slice) error {
	if err := conn.PostRecv(rdma.Recv{Into: answer}); err != nil {
		return err
	}
	if err := conn.Send(ctx, message); err != nil {
		return err
	}
	c, _, err := conn.RecvCompletions().Wait(ctx, 1)
	if err != nil {
		return err
	}
	if c.Err() != nil {
		return whyFailed(conn, &c)
	}
	if c.Length != answer.Len() {
		return fmt.Errorf("an answer of %d bytes instead of %d", c.Length, answer.Len())
	}
	return nil
}
