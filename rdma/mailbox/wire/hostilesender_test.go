package wire_test

import (
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// A lie is what a sender of words does that none may do, or what none should do. The mailbox has taken its value "ok", and
// holds its unanswered ask 1. It ends the connection with an error that has the text.
type lie struct {
	name string
	do   func(p *peer)
	want string
}

func sends(b []byte) func(p *peer) { return func(p *peer) { p.sendBytes(b) } }

var (
	okay  = record{kindValue, 0, 0, []byte("ok")}
	where = make([]byte, mem.RemoteSize)
)

var lies = []lie{
	{"an ask without an id", sends(message(record{kindAsk, 0, 0, nil})), "ask 0x0, where 2 may wait"},
	{"an ask with the highest bit", sends(message(record{kindAsk, 1 << 63, 0, nil})), "ask 0x8000000000000000, where 2 may wait"},
	{"a place that is too high", sends(message(record{kindAsk, 2, 0, nil})), "ask 0x2, where 2 may wait"},
	{"a place that is taken", sends(message(record{kindAsk, 1<<16 | 1, 0, nil})), "ask 0x10001, where 2 may wait"},
	{"an answer", sends(message(record{kindAnswer, 1, 0, nil})), "kind 3 from a sender"},
	{"kind 0", sends(message(record{0, 0, 0, nil})), "kind 0x0 with 0 bytes"},
	{"kind 10", sends(message(record{10, 0, 0, nil})), "kind 0xa000000 with 0 bytes"},
	{"no record", sends(nil), "a message or its rest of 0 bytes"},
	{"half a header", sends(message(okay)[:23]), "a message or its rest of 23 bytes"},
	{"bytes behind the last record", sends(append(message(okay), 1)), "a message or its rest of 1 bytes"},
	{"a length that is one too much", sends(message(okay)[:25]), "with 2 bytes, where there are 1"},
	{"a length of 4 GiB", sends(append([]byte{kindValue, 0, 0, 0, 255, 255, 255, 255}, make([]byte, 18)...)), "with 4294967295 bytes, where there are 2"},
	{"something behind the kind", sends(append([]byte{kindValue, 0, 1, 0}, make([]byte, 20)...)), "kind 0x1000100 with 0 bytes"},
	{"more values than the window", sends(message(okay, okay, okay)), "more than 3 values at a time"},
	{"a message beyond the longest", func(p *peer) { _ = p.conn.Send(p.ctx, p.out.Slice(0, 1000)) }, ""},
	{"memory of no bytes", sends(message(record{kindLargeValue, 0, 0, where})), "20 bytes that describe no memory"},
	{"half a description", sends(message(record{kindLargeAsk, 2 << 16, 0, where[:10]})), "10 bytes that describe no memory"},
	{"memory beyond the last address", sends(message(record{kindLargeAsk, 2 << 16, 0, []byte(strings.Repeat("\xff", 18) + "\x00\x09")})), "20 bytes that describe no memory"},
	{"memory that it does not have", sends(message(record{kindLargeValue, 0, 0, []byte(strings.Repeat("\x00", 19) + "\x09")})), ""},
	{"memory that it has taken back", func(p *peer) {
		region, where := p.lend(strings.Repeat("a", 1000))
		check(p.t, region.Free())
		p.send(record{kindLargeValue, 0, 0, where})
	}, ""},
	{"a write with immediate data", func(p *peer) {
		check(p.t, p.conn.PostWrite(rdma.Write{Flags: rdma.WithImmediate}))
	}, "a message or its rest of 0 bytes"},
	{"the end behind a value", func(p *peer) {
		p.send(okay)
		check(p.t, p.conn.Shutdown(p.ctx))
	}, ""},
	{"the end with a value under way", func(p *peer) {
		_, where := p.lend(strings.Repeat("a", 1<<20))
		p.send(record{kindLargeAsk, 1 << 16, 0, where})
		check(p.t, p.conn.Close())
	}, ""},
	{"memory that it takes back meanwhile", func(p *peer) {
		region, where := p.lend(strings.Repeat("a", 1<<20))
		p.send(record{kindLargeValue, 0, 0, where})
		check(p.t, region.Free())
		_ = p.conn.Abort() // the value may have been read before
	}, ""},
}

// TestHostileSender lets one sender after another lie beside a good one, which is not harmed.
func TestHostileSender(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[string, string]{
				Values: words(), Answers: words(), Slot: 60, MaxValue: 1 << 20, MaxAnswer: 500, Down: true,
			})
			check(t, err)
			defer box.Close()
			good, err := mailbox.Dial(ctx, a, box.Addr().String(), mailbox.DialConfig[string, string]{Values: words(), Answers: words()})
			check(t, err)
			defer good.Close()
			for _, l := range lies {
				t.Run(l.name, func(t *testing.T) {
					p, _, err := dial(ctx, t, a, box.Addr().String(), ofWords(3, 2))
					check(t, err)
					p.send(okay)
					p.wantPlaced(1)
					p.send(record{kindAsk, 1, 0, nil})
					receive(ctx, t, box)
					ask := receive(ctx, t, box)
					l.do(p)
					m := receive(ctx, t, box)
					for ; m.Down() == nil; m = receive(ctx, t, box) {
						if m.From() != ask.From() || m.Value != "ok" && len(m.Value) != 1<<20 {
							t.Fatal(m.Value)
						}
					}
					p.ended()
					if err := m.Down(); !strings.Contains(err.Error(), l.want) || strings.Contains(err.Error(), "nil") || m.From() != ask.From() ||
						l.want != "" && !strings.Contains(err.Error(), mailbox.ErrProtocol.Error()) {
						t.Errorf("%v; want %s", err, l.want)
					}
					if err := ask.Reply(""); err == nil {
						t.Error("an answer to a sender that is gone")
					}
					check(t, p.conn.Close())
					answered := make(chan error)
					go func() { _, err := good.Ask(ctx, strings.Repeat("b", 100)); answered <- err }()
					check(t, receive(ctx, t, box).Reply("fine"))
					check(t, <-answered)
				})
			}
		})
	}
}
