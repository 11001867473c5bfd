package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

type sender = *mailbox.Sender[entry, account]

// client enters amounts until it is told to end, and one at least.
type client struct {
	number  int64
	entered account // what the ledger has confirmed
	dials   int
}

func runClient(ctx context.Context, adapter *rdma.Adapter, dir string, number int64, told context.Context, out io.Writer) error {
	c := &client{number: number}
	dial := func(ctx context.Context) (sender, error) {
		c.dials++
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		address, err := os.ReadFile(registry(dir)) // anew each time: the ledger may be elsewhere
		if err != nil {
			return nil, err
		}
		return mailbox.Dial(ctx, adapter, string(address), mailbox.DialConfig[entry, account]{})
	}
	work := func(ctx context.Context, to sender) error { return c.work(ctx, to, told) }
	if err := keep(ctx, backoff{5 * time.Millisecond, 500 * time.Millisecond}, dial, work); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "client %d has made %d entries; it has dialled %d times\n", number, c.entered.Last, c.dials)
	return err
}

// work goes on where the ledger is. An error of Ask ends it; then nobody knows whether that entry
// is in the ledger, and the first answer of the next ledger says it.
func (c *client) work(ctx context.Context, to sender, told context.Context) error {
	has, err := to.Ask(ctx, entry{Client: c.number})
	if err != nil {
		return err
	}
	if has.Last < c.entered.Last {
		return fmt.Errorf("the ledger has %d entries of client %d, and had %d", has.Last, c.number, c.entered.Last)
	}
	c.entered = has
	for told.Err() == nil || c.entered.Last == 0 {
		e := entry{Client: c.number, Number: c.entered.Last + 1, Cents: c.entered.Last + 1}
		if has, err = to.Ask(ctx, e); err != nil {
			return err
		}
		if has.Last != e.Number {
			return fmt.Errorf("the ledger has not taken entry %d of client %d: it has %d", e.Number, c.number, has.Last)
		}
		c.entered = has
	}
	return nil
}
