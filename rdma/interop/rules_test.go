package interop_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// misuses are what misuse can do. Each must end the connection.
var misuses = []string{"write key", "write bounds", "read key", "read bounds", "long message"}

// misuse breaks a rule with the memory that the peer has lent, or its receives, and
// gives nil if that ended the connection.
func (l *link) misuse(ctx context.Context, how string, lent mem.Remote) error {
	big, err := l.zone.Alloc(4096, mem.Local)
	if err != nil {
		return err
	}
	defer big.Free()
	wrong := lent
	switch how {
	case "write key", "read key":
		wrong.Key ^= 0x5a00
	default:
		wrong.Addr += wrong.Length - 4
	}
	wrong = mem.Remote{Key: wrong.Key, Addr: wrong.Addr, Length: 8}
	switch how {
	case "write key", "write bounds":
		_, err = l.conn.Write(ctx, big.Slice(0, 8), wrong)
	case "read key", "read bounds":
		if _, err = l.conn.Read(ctx, big.Slice(0, 8), wrong); err == nil {
			return errors.New("the read went through")
		}
	case "long message":
		err = l.conn.Send(ctx, big.All())
	default:
		return fmt.Errorf("no misuse %q", how)
	}
	if ctx.Err() != nil {
		return err
	}
	if err := l.cause(ctx); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) {
		return err
	}
	return nil
}

// lendKey gives the peer memory whose key it may invalidate: a window, where there
// are windows of endpoints, else a region.
func (l *link) lendKey(ctx context.Context, region *mem.Region) (mem.Remote, error) {
	if !l.Adapter().Attributes().Caps.EndpointWindows {
		return region.Slice(0, 8).Remote(), nil
	}
	w, err := l.zone.NewWindow(mem.EndpointWindow)
	if err != nil {
		return mem.Remote{}, err
	}
	return l.conn.Bind(ctx, w, region.Slice(0, 8), mem.RemoteWrite)
}

// invalidated lends memory, is written to, has the key invalidated by a message,
// and is written to again, which must end the connection.
func (l *link) invalidated(ctx context.Context) error {
	region, err := l.zone.Alloc(64, mem.Local|mem.RemoteWrite)
	if err != nil {
		return err
	}
	remote, err := l.lendKey(ctx, region)
	if err != nil {
		return err
	}
	text, err := remote.MarshalBinary()
	if err == nil {
		err = l.say(ctx, string(text))
	}
	if err != nil {
		return err
	}
	m, c, err := l.next(ctx)
	if err != nil {
		return err
	}
	if got := string(m.Bytes()); got != "take it back" || string(region.Bytes()[:8]) != "12345678" {
		return fmt.Errorf("the message is %q, the memory %q", got, region.Bytes()[:8])
	}
	if l.conn.Path() == "tcp" && (c.Op != rdma.OpRecvInvalidate || c.Invalidated != remote.Key) {
		return fmt.Errorf("the message is told as %v of key %#x instead of %#x", c.Op, c.Invalidated, remote.Key)
	}
	if err := l.say(ctx, "gone"); err != nil {
		return err
	}
	if err := l.cause(ctx); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) {
		return err
	}
	if got := string(region.Bytes()[:8]); got != "12345678" {
		return fmt.Errorf("a dead key was written through: %q", got)
	}
	return nil
}

// invalidate is the other side of that.
func (l *link) invalidate(ctx context.Context, _ mem.Remote) error {
	text, err := l.hear(ctx)
	if err != nil {
		return err
	}
	var remote mem.Remote
	if err := remote.UnmarshalBinary([]byte(text)); err != nil {
		return err
	}
	if _, err := l.conn.Write(ctx, l.out.Slice(0, copy(l.out.Bytes(), "12345678")), remote); err != nil {
		return err
	}
	n := copy(l.out.Bytes(), "take it back")
	if err := l.conn.PostSend(rdma.Send{From: l.out.Slice(0, n), Invalidate: remote.Key}); err != nil {
		return err
	}
	c, _, err := l.SendCompletions().Wait(ctx, 1)
	if err == nil {
		err = c.Err()
	}
	if err != nil {
		return err
	}
	if text, err := l.hear(ctx); err != nil || text != "gone" {
		return fmt.Errorf("the answer is %q, %w", text, err)
	}
	_, _ = l.conn.Write(ctx, l.out.Slice(0, copy(l.out.Bytes(), "abcdefgh")), remote)
	if err := l.cause(ctx); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) {
		return err
	}
	return nil
}
