package ping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// With -P, atOnce bounds the clients that are served at a time. Others wait, so a client has no more than patience for
// each ping: clients do not pause, and one that has stopped would keep its place. Those that wait give up after ten seconds.
const (
	atOnce   = 64
	patience = 8 * time.Second
)

var errSilent = fmt.Errorf("the client has said nothing for %v", patience)

// serve is the server, from beginning to end.
func (opt *options) serve(ctx context.Context, adapter *rdma.Adapter) error {
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}
	ln, err := adapter.Listen(ctx, opt.address, rdma.ListenConfig{})
	if err != nil {
		return err
	}
	defer ln.Close()
	fmt.Fprintf(opt.errs, "ping: waiting at %s\n", ln.Addr().String())

	var clients errgroup.Group
	defer clients.Wait()
	clients.SetLimit(atOnce)
	for {
		var request *rdma.ConnRequest
		select {
		case request = <-ln.Requests():
		case <-ctx.Done():
			if opt.persistent {
				return nil
			}
			return context.Cause(ctx)
		}
		if !opt.persistent {
			ln.Close() // whoever else comes is refused
			return opt.answer(ctx, adapter, zone, request)
		}
		clients.Go(func() error {
			if err := opt.answer(ctx, adapter, zone, request); err != nil && ctx.Err() == nil {
				fmt.Fprintln(opt.errs, "ping:", err)
			}
			return nil
		})
	}
}

// answer serves one client until it leaves.
func (opt *options) answer(ctx context.Context, adapter *rdma.Adapter, zone *rdma.Zone, request *rdma.ConnRequest) error {
	from := request.RemoteAddr().String()
	l, err := newLine(adapter, zone)
	if err != nil {
		_ = request.Reject(nil) // or the client waits
		return err
	}
	defer l.buf.Free()
	defer l.Close()
	buf, err := zone.Alloc(opt.size, mem.Local)
	if err != nil {
		_ = request.Reject(nil)
		return err
	}
	defer buf.Free()
	accepting, cancel := opt.bounded(ctx)
	defer cancel()
	if l.conn, err = request.AcceptOn(accepting, l.Endpoint, rdma.ConnConfig{}); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	opt.say("%s has connected, path %s", from, l.conn.Path())
	for n := 0; ; n++ {
		err := opt.next(ctx, l, buf, n)
		if errors.Is(err, rdma.ErrDisconnected) { // as clients do that have had enough
			opt.say("%s has left after %d pings", from, n)
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s, ping %d: %w", from, n, err)
		}
	}
}

// bounded is the context of one step of a client.
func (opt *options) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if !opt.persistent {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, patience, errSilent)
}

// next serves one ping.
func (opt *options) next(ctx context.Context, l *line, buf *mem.Region, number int) error {
	ctx, cancel := opt.bounded(ctx)
	defer cancel()
	source, err := l.receive(ctx)
	if err != nil {
		return err
	}
	return opt.echo(ctx, l, takeAd(source), buf, number)
}

// echo reads the ping of that number and writes it back.
func (opt *options) echo(ctx context.Context, l *line, source mem.Remote, buf *mem.Region, number int) error {
	opt.say("source is %v", source)
	if source.Length > uint64(opt.size) {
		return fmt.Errorf("it has %d bytes, and this server takes %d: start it with a larger -S", source.Length, opt.size)
	}
	n, err := l.conn.Read(ctx, buf.Slice(0, int(source.Length)), source)
	if err != nil {
		return fmt.Errorf("reading the source: %w", err)
	}
	ping := buf.Bytes()[:n]
	if opt.verbose {
		if _, err := fmt.Fprintf(opt.out, "server ping data: %s\n", shown(ping)); err != nil {
			return err
		}
	}
	if opt.validate {
		want := make([]byte, n)
		if n > 0 {
			fillPing(want, number)
		}
		if err := differ(ping, want); err != nil {
			return fmt.Errorf("not what a client sends: %w", err)
		}
	}
	if err := l.sendGo(ctx); err != nil {
		return err
	}
	message, err := l.receive(ctx)
	if err != nil {
		return err
	}
	sink := takeAd(message)
	opt.say("sink is %v", sink)
	if n > 0 {
		n = min(len(text(ping))+1, n) // with its zero byte, as the C program does
	}
	if _, err := l.conn.Write(ctx, buf.Slice(0, n), sink); err != nil {
		return fmt.Errorf("writing to the sink: %w", err)
	}
	return l.sendGo(ctx)
}
