package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// family is the processes, and what happens to them.
type family struct {
	adapter, dir   string
	clients, kills int
	out, errs      io.Writer

	mu       sync.Mutex
	children map[string]*child // those that run
	ledgers  int               // how many have been started
	dying    bool              // the latest has been killed
	killed   []string
	mourned  int    // clients that were killed and of which the ledger has told it
	missing  string // a client of which it has yet to
}

// run keeps the ledger and the clients going until all kills are done. Each has its supervisor: when
// one is started again, the others go on.
func (f *family) run(ctx context.Context) error {
	f.children = map[string]*child{}
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return f.keep(ctx, "ledger") })
	all.Go(func() error {
		var clients errgroup.Group
		for i := range f.clients {
			clients.Go(func() error { return f.keep(ctx, "client", strconv.Itoa(i+1)) })
		}
		defer f.tell("ledger")
		return clients.Wait()
	})
	if err := all.Wait(); err != nil {
		return err
	}
	n, err := check(journal(f.dir), f.clients)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.out, "killed: %s\nthe ledger was told of %d killed clients\n%d entries of %d clients, each once and in order\n",
		strings.Join(f.killed, ", "), f.mourned, n, f.clients)
	return err
}

// keep keeps one process going.
func (f *family) keep(ctx context.Context, args ...string) error {
	name := strings.Join(args, " ")
	args = append([]string{args[0], f.adapter, f.dir}, args[1:]...)
	return keep(ctx, backoff{10 * time.Millisecond, time.Second}, func(ctx context.Context) (*child, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if name == "ledger" {
			f.ledgers++
			f.dying = false
		}
		ledger := f.ledgers
		c, err := start(ctx, f.errs, func(text string) { f.line(ledger, text) }, args...)
		if err == nil {
			f.children[name] = c
			f.tellAll()
		}
		return c, err
	}, wait)
}

// tellAll tells the clients to end if nothing is left to be done. A client that starts then asks the
// ledger once.
func (f *family) tellAll() {
	if f.kills > 0 || f.missing != "" {
		return
	}
	for name, c := range f.children {
		if name != "ledger" {
			c.tell()
		}
	}
}

func (f *family) tell(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.children[name]; c != nil {
		c.tell()
	}
}

// line takes what a child prints, at the time of a ledger. The entry of a client is when something
// happens: to the ledger and to this client in turns. The next waits until the ledger has told that
// a client is gone. What an earlier ledger has left behind does not count: its client may not be
// connected to the present one.
func (f *family) line(ledger int, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var client string
	words := strings.Fields(text)
	if len(words) > 1 {
		client = "client " + words[1]
	}
	switch {
	case len(words) > 2 && words[0] == "down":
		if client == f.missing {
			f.missing = ""
			f.mourned++
			f.tellAll()
		}
	case len(words) == 3 && words[0] == "entry":
		if f.kills > 0 && f.missing == "" && ledger == f.ledgers && !f.dying {
			f.kill(client)
		}
	default:
		fmt.Fprintln(f.out, text)
	}
}

// kill kills the ledger or the client.
func (f *family) kill(client string) {
	name := "ledger"
	if len(f.killed)%2 == 1 {
		name, f.missing = client, client
	}
	f.killed = append(f.killed, name)
	f.kills--
	_ = f.children[name].cmd.Process.Kill() // they do not end by themselves
	f.dying = name == "ledger"
	f.tellAll()
}
