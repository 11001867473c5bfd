package mailbox_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

type deposit struct{ Account, Cents int64 }

type balance struct{ Cents int64 }

// An actor keeps accounts, and answers with the balance.
func Example() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[deposit, balance]{})
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	go func() {
		accounts := map[int64]int64{}
		for m := range box.C() {
			accounts[m.Value.Account] += m.Value.Cents
			if m.Asked() {
				_ = m.Reply(balance{accounts[m.Value.Account]})
			}
		}
	}()

	bank, err := mailbox.Dial(ctx, adapter, box.Addr().String(), mailbox.DialConfig[deposit, balance]{})
	if err != nil {
		log.Fatal(err)
	}
	defer bank.Close()
	if err := bank.Send(ctx, deposit{Account: 7, Cents: 100}); err != nil {
		log.Fatal(err)
	}
	b, err := bank.Ask(ctx, deposit{Account: 7, Cents: 50})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Cents)
	// Output: 150
}

func ExampleMailbox() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[int64, mailbox.None]{})
	if err != nil {
		log.Fatal(err)
	}
	to, err := mailbox.Dial(ctx, adapter, box.Addr().String(), mailbox.DialConfig[int64, mailbox.None]{})
	if err != nil {
		log.Fatal(err)
	}
	for n := range int64(3) {
		if err := to.Send(ctx, n); err != nil {
			log.Fatal(err)
		}
	}
	_ = to.Close()
	_ = box.Close() // what it holds can still be taken
	for m := range box.C() {
		fmt.Println(m.Value)
	}
	// Output:
	// 0
	// 1
	// 2
}

func ExampleConfig() {
	// A mailbox that holds back its senders early, and tells when one is gone.
	cfg := mailbox.Config[deposit, balance]{Depth: 64, Window: 4, Down: true}
	fmt.Println(cfg.Depth, cfg.Window, cfg.Down)
	// Output: 64 4 true
}

func ExampleDialConfig() {
	// A sender that does not wait for each value to arrive.
	cfg := mailbox.DialConfig[deposit, balance]{Window: 256, Async: true}
	fmt.Println(cfg.Window, cfg.Async)
	// Output: 256 true
}

func ExampleCodec() {
	type words map[string]int
	codec := mailbox.JSON[words]()
	b, err := codec.Append(nil, words{"be": 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(codec.Name, string(b))
	// Output: json {"be":2}
}

func ExampleSender() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[int64, int64]{Depth: 1, Window: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	to, err := mailbox.Dial(ctx, adapter, box.Addr().String(), mailbox.DialConfig[int64, int64]{})
	if err != nil {
		log.Fatal(err)
	}
	defer to.Close()
	fmt.Println(to.Send(ctx, 1)) // fills the mailbox
	fmt.Println(to.TrySend(2))   // waits behind it
	fmt.Println(errors.Is(to.TrySend(3), mailbox.ErrFull))
	// Output:
	// <nil>
	// <nil>
	// true
}

func ExampleLost() {
	sent := []string{"a", "b", "c", "d", "e", "f"} // the values for which Send has returned nil, in their order
	// The mailbox has taken a, c and d, and refused b. It may have e and f.
	var cause error = &mailbox.Lost{Delivered: 3, Refused: 1, Unknown: 2, Err: rdma.ErrBroken}
	var lost *mailbox.Lost
	if errors.As(cause, &lost) && errors.Is(cause, rdma.ErrBroken) {
		fmt.Println("send again:", sent[lost.Settled():])
	}
	// Output: send again: [e f]
}

func ExampleRefused() {
	var err error = &mailbox.Refused{Count: 2, First: 7, Err: errors.New("no such account")}
	var refused *mailbox.Refused
	if errors.As(err, &refused) {
		fmt.Println(refused.Count, "refused, the first:", refused.Err)
	}
	// Output: 2 refused, the first: no such account
}

func ExampleMessage() {
	handle := func(m mailbox.Message[deposit, balance]) {
		switch {
		case m.Down() != nil:
			log.Printf("%v is gone: %v", m.From(), m.Down())
		case m.Asked() && m.Value.Cents < 0:
			_ = m.Decline("no overdrafts")
		case m.Asked():
			_ = m.Reply(balance{m.Value.Cents})
		}
	}
	handle(mailbox.Message[deposit, balance]{Value: deposit{Account: 7}})
	fmt.Println("handled")
	// Output: handled
}

func ExamplePeer() {
	// Senders can be told apart, and watched.
	values := map[*mailbox.Peer]int{}
	count := func(m mailbox.Message[deposit, balance]) {
		if values[m.From()] == 0 {
			context.AfterFunc(m.From().Context(), func() { log.Printf("%v is gone", m.From().Addr()) })
		}
		values[m.From()]++
	}
	_ = count
	fmt.Println(len(values))
	// Output: 0
}

// One goroutine has several asks under way: it takes the oldest answer, and asks again in its place.
func ExamplePending() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[int64, int64]{})
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	go func() {
		var batch [64]mailbox.Message[int64, int64]
		for {
			n, err := box.ReceiveBatch(ctx, batch[:], 1)
			for _, m := range batch[:n] {
				_ = m.Reply(m.Value * m.Value)
			}
			if err != nil {
				return
			}
		}
	}()

	to, err := mailbox.Dial(ctx, adapter, box.Addr().String(), mailbox.DialConfig[int64, int64]{})
	if err != nil {
		log.Fatal(err)
	}
	defer to.Close()
	const asks, depth = 100, 8
	var ring [depth]mailbox.Pending[int64, int64]
	sum := int64(0)
	for n := range int64(asks + depth) {
		place := &ring[n%depth]
		if n >= depth {
			square, err := place.Wait(ctx)
			if err != nil {
				log.Fatal(err)
			}
			sum += square
		}
		if n < asks {
			if *place, err = to.Go(ctx, n); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println(sum)
	// Output: 328350
}
