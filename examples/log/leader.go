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
	// window is how many entries may be in progress to a replica.
	window    = 64
	entrySize = 256
	// logSize is the size of a replica's log memory, in bytes. A real log would start again
	// at its beginning, or in other memory.
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
		if err == nil {
			l.followers = append(l.followers, f)
			err = l.acks.Add(f.conn.RecvCompletions())
		}
		if err != nil {
			return nil, errors.Join(err, l.close(ctx)) // the other replicas wait for the leader to go
		}
	}
	return l, nil
}

// close completes the writes in progress and ends the connections.
func (l *leader) close(ctx context.Context) error {
	err := l.acks.Close()
	for _, f := range l.followers {
		err = errors.Join(err, f.close(ctx))
	}
	return errors.Join(err, l.memory.Free(), l.zone.Close())
}

// append writes an entry to all replicas. It waits only if a replica is a whole window
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

// commit waits until a majority has all appended entries.
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
		// Each further replica that is needed sends at least one acknowledgement.
		if err := l.take(ctx, majority-have); err != nil {
			return err
		}
	}
}

// take waits for that many acknowledgements, from any replicas, and handles all that have
// arrived.
func (l *leader) take(ctx context.Context, acks int) error {
	if _, err := l.acks.WaitThreshold(ctx, acks); err != nil {
		return err
	}
	for _, f := range l.followers {
		f.take()
	}
	return nil
}

// slowest is the number of entries that every replica has, without those that have failed.
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
