package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

const (
	// window is how many entries may be under way to a replica.
	window    = 64
	entrySize = 256
	// logSize is a replica's memory. A real log would begin anew, or move on.
	logSize = 64 << 20
)

// leader appends to a log that has replicas. It belongs to one goroutine.
type leader struct {
	zone      *rdma.Zone
	memory    *mem.Region // the entries of the window
	followers []*follower
	acks      *event.Set // where followers' acknowledgements come
	entries   uint64
	at        int // in the log
}

// dial connects to all replicas.
func dial(ctx context.Context, adapter *rdma.Adapter, addresses []string) (*leader, error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	l := &leader{zone: zone, acks: event.NewSet()}
	if l.memory, err = zone.Alloc(window*entrySize, mem.LocalRead|mem.LocalWrite); err != nil {
		return nil, err
	}
	for _, address := range addresses {
		f, err := follow(ctx, zone, address)
		if err != nil {
			return nil, err
		}
		l.followers = append(l.followers, f)
		if err := l.acks.Add(f.conn.RecvCompletions()); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// close lets the replicas take what is under way, and ends the connections.
func (l *leader) close(ctx context.Context) error {
	err := l.acks.Close()
	for _, f := range l.followers {
		err = errors.Join(err, f.close(ctx))
	}
	return errors.Join(err, l.memory.Free(), l.zone.Close())
}

// append writes an entry to all replicas, and waits for none of them unless one is a window
// behind.
func (l *leader) append(ctx context.Context, entry []byte) error {
	if len(entry) == 0 || len(entry) > entrySize || l.at+len(entry) > logSize {
		return fmt.Errorf("an entry of %d bytes at %d: it does not fit", len(entry), l.at)
	}
	for l.slowest()+window <= l.entries {
		if err := l.take(ctx, 1); err != nil {
			return err
		}
	}
	from := l.memory.Slice(int(l.entries%window)*entrySize, len(entry))
	copy(from.Bytes(), entry)
	for _, f := range l.followers {
		f.write(from, l.at)
	}
	l.entries++
	l.at += len(entry)
	return nil
}

// commit waits until a majority has all that was appended.
func (l *leader) commit(ctx context.Context) error {
	for {
		have, gone := 0, error(nil)
		for _, f := range l.followers {
			if f.acked == l.entries {
				have++
			}
			gone = errors.Join(gone, f.err)
		}
		majority := len(l.followers)/2 + 1
		if have >= majority {
			return nil
		}
		if l.alive() < majority {
			return fmt.Errorf("no majority is left: %w", gone)
		}
		// Each of the others that are needed has at least one to send.
		if err := l.take(ctx, majority-have); err != nil {
			return err
		}
	}
}

// take waits for that many acknowledgements, from whichever replica, and looks at all that
// have come.
func (l *leader) take(ctx context.Context, acks int) error {
	if _, err := l.acks.WaitThreshold(ctx, acks); err != nil {
		return err
	}
	for _, f := range l.followers {
		f.take()
	}
	return nil
}

// slowest is how many entries each replica has that has not failed.
func (l *leader) slowest() uint64 {
	least := l.entries
	for _, f := range l.followers {
		if f.err == nil {
			least = min(least, f.acked)
		}
	}
	return least
}

func (l *leader) alive() (n int) {
	for _, f := range l.followers {
		if f.err == nil {
			n++
		}
	}
	return n
}
