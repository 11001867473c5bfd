package wire_test

import (
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// words is a codec.
func words() *mailbox.Codec[string] {
	return &mailbox.Codec[string]{
		Name:   "words",
		Append: func(b []byte, v string) ([]byte, error) { return append(b, v...), nil },
		Decode: func(b []byte) (string, error) { return string(b), nil },
	}
}

// ofWords is the request of a sender of words.
func ofWords(window, asks uint16) request {
	return request{window: window, asks: asks, maxAnswer: 200, values: hash("codec words"), answers: hash("codec words"), longest: headerBytes + 200}
}

// lend puts a value into memory, and says where it is.
func (p *peer) lend(value string) (*mem.Region, []byte) {
	p.t.Helper()
	region := p.alloc(len(value))
	where, err := region.Slice(0, copy(region.Bytes(), value)).Remote().MarshalBinary()
	check(p.t, err)
	return region, where
}

// TestSenderOfLargeValues lends values, and gets long answers.
func TestSenderOfLargeValues(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[string, string]{
				Values: words(), Answers: words(), Slot: 8, MaxValue: 1 << 20, MaxAnswer: 500,
			})
			check(t, err)
			defer box.Close()
			p, r, err := dial(ctx, t, a, box.Addr().String(), ofWords(16, 4))
			check(t, err)
			if r.longest != 1<<20 || r.slot != 8 || r.message < headerBytes+mem.RemoteSize {
				t.Fatalf("%+v", r)
			}
			long := strings.Repeat("0123456789", 1e5)
			_, where := p.lend(long)
			_, short := p.lend("short")
			_, tooLong := p.lend(long + long)
			p.send(record{kindLargeAsk, 1, 0, where})
			p.send(record{kindValue, 0, 0, []byte("behind")})
			p.send(record{kindLargeValue, 0, 0, tooLong})
			p.send(record{kindLargeValue, 0, 0, short})
			m := receive(ctx, t, box)
			if m.Value != long {
				t.Fatal(len(m.Value))
			}
			if m := receive(ctx, t, box); m.Value != "behind" {
				t.Fatal(m.Value)
			}
			if m := receive(ctx, t, box); m.Value != "short" {
				t.Fatal(m.Value)
			}
			p.want(kindRefused, 3, 3, "a value of 2000000 bytes, where 1048576 is the limit")
			p.wantPlaced(4)
			is(t, m.Reply(strings.Repeat("a", 201)), rdma.ErrLength)
			if r := p.next(); r.kind != kindDecline || r.id != 1 || len(r.body) > 100 {
				t.Fatal(r)
			}
			p.send(record{kindAsk, 1 << 47, 0, nil})
			if m = receive(ctx, t, box); m.Value != "" {
				t.Fatal(m.Value)
			}
			check(t, m.Reply(long[:200]))
			p.want(kindAnswer, 1<<47, 5, long[:200])
		})
	}
}
