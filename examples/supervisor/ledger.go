package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// entry is what clients send. With number 0 it only asks.
type entry struct{ Client, Number, Cents int64 }

// account is the answer: what the ledger has of this client.
type account struct{ Last, Sum int64 }

// every is after how many entries the ledger tells its parent.
const every = 100

// ledger is an actor: its state belongs to the loop that takes the messages.
type ledger struct {
	file     *os.File
	out      io.Writer
	accounts map[int64]account
	taken    int
	senders  map[*mailbox.Peer]int64
}

func runLedger(ctx context.Context, adapter *rdma.Adapter, dir string, out io.Writer) error {
	l := &ledger{out: out, accounts: map[int64]account{}, senders: map[*mailbox.Peer]int64{}}
	if err := l.open(journal(dir)); err != nil {
		return err
	}
	defer l.file.Close()
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[entry, account]{Down: true})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { box.Close() })()
	if err := publish(registry(dir), box.Addr().String()); err != nil {
		return err
	}
	for m := range box.C() {
		if why := m.Down(); why != nil {
			fmt.Fprintf(out, "down %d %v\n", l.senders[m.From()], why)
			delete(l.senders, m.From())
			continue
		}
		l.senders[m.From()] = m.Value.Client
		a, err := l.take(m.Value)
		if err != nil {
			return err
		}
		_ = m.Reply(a) // an error says that the client is gone, which Down says as well
	}
	return nil
}

// take handles an entry. It is in the file before it is answered.
func (l *ledger) take(e entry) (account, error) {
	a := l.accounts[e.Client]
	if e.Number != a.Last+1 {
		return a, nil // a question, or the late entry of a client that was killed
	}
	if err := binary.Write(l.file, binary.LittleEndian, e); err != nil {
		return a, err
	}
	a = account{a.Last + 1, a.Sum + e.Cents}
	l.accounts[e.Client] = a
	if l.taken++; l.taken%every == 0 {
		fmt.Fprintf(l.out, "entry %d %d\n", e.Client, e.Number)
	}
	return a, nil
}

// open reads what an earlier process has left.
func (l *ledger) open(name string) (err error) {
	if l.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	end := int64(0)
	for e := new(entry); binary.Read(l.file, binary.LittleEndian, e) == nil; end += int64(binary.Size(e)) {
		l.accounts[e.Client] = account{e.Number, l.accounts[e.Client].Sum + e.Cents}
	}
	if err := l.file.Truncate(end); err != nil { // a part of an entry
		return err
	}
	_, err = l.file.Seek(end, io.SeekStart)
	return err
}

// publish replaces a file at once, so that nobody reads half of it.
func publish(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
