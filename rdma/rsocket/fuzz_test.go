package rsocket_test

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// fuzzConfig has rings that a few messages fill.
var fuzzConfig = rsocket.Config{Ring: 4096, MaxRing: 16 << 10, Send: 16 << 10, Messages: 16, Linger: time.Second}

// Steps of a script. Each is a byte, followed by as many bytes of arguments as stepArgs has.
const (
	stepData    = iota // length
	stepWindow         // limit
	stepRaw            // message
	stepEntry          // index, what is wrong with it, length
	stepHalf           // nothing: a half of the peer, as it should be
	stepFill           // offset, length: bytes into the ring
	stepCarrier        // length of a send
	stepEnd            // which
	steps
)

var stepArgs = [steps]int{2, 2, 4, 4, 0, 4, 1, 1}

// FuzzPeer plays a script as the peer of a connection whose program reads and writes. The first byte
// chooses the path and whether the Hello is that of the script, too. Whatever happens, Read and Write
// return with an error that they are known for, soon after the peer is gone, and memory stays within
// its limit. A peer that breaks a rule which needs no counting is told so without being gone first.
func FuzzPeer(f *testing.F) {
	for _, s := range fuzzSeeds() {
		f.Add(s)
	}
	adapters := []*rdma.Adapter{open(f, "soft-loop"), open(f, "soft-tcp")}
	listeners := []*rsocket.Listener{listen(f, adapters[0], fuzzConfig), listen(f, adapters[1], fuzzConfig)}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 400 {
			return
		}
		a, ln := adapters[script[0]&1], listeners[script[0]&1]
		tweak, own := func(*rsock.Hello) {}, false
		if script[0]&2 != 0 && len(script) > rsock.HelloSize {
			h, err := rsock.ParseHello(script[1:])
			if err != nil {
				return
			}
			tweak, own = func(to *rsock.Hello) { *to = h }, true // its memory may not be there
			script = script[rsock.HelloSize:]
		}
		p, conn := rawPairWith(t, a, ln, tweak)
		g := &fuzzGame{t: t, p: p, clean: !own, read: make(chan error, 1), written: make(chan error, 1)}
		go func() {
			_, err := io.Copy(io.Discard, conn)
			g.read <- err
		}()
		go func() {
			_, err := conn.Write(make([]byte, 64<<10))
			for err == nil {
				_, err = conn.Write([]byte("more"))
			}
			g.written <- err
		}()
		g.play(script[1:])
		if g.broken {
			if err := g.await(g.read); !errors.Is(err, rsocket.ErrProtocol) {
				t.Errorf("read: %v", err)
			}
			g.read <- nil
		}
		_ = p.conn.Abort()
		if err := g.await(g.read); err != nil && !errors.Is(err, rsocket.ErrProtocol) && !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("read: %v", err)
		}
		if err := g.await(g.written); !errors.Is(err, rsocket.ErrProtocol) && !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("write: %v", err)
		}
		if n := conn.RingSize(); n > fuzzConfig.MaxRing {
			t.Errorf("the ring has %d bytes", n)
		}
	})
}

type fuzzGame struct {
	t             *testing.T
	p             *rawPeer
	read, written chan error
	// clean: nothing has been done yet that may end the connection. broken: a rule was broken
	// while it was clean.
	clean, broken bool
}

func (g *fuzzGame) await(done chan error) error {
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		g.t.Fatal("a call waits although the connection must be over")
		return nil
	}
}

func (g *fuzzGame) play(script []byte) {
	for range 64 {
		if len(script) == 0 || g.broken {
			return
		}
		step := script[0] % steps
		n := stepArgs[step]
		if script = script[1:]; len(script) < n {
			return
		}
		g.step(step, script[:n])
		script = script[n:]
	}
}

func (g *fuzzGame) step(step byte, args []byte) {
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(args[at:])) }
	switch step {
	case stepData:
		g.message(rsock.DataMessage(u16(0)))
	case stepWindow:
		g.message(rsock.WindowMessage(uint16(u16(0))))
	case stepRaw:
		g.message(rsock.Message(binary.LittleEndian.Uint32(args)))
	case stepEntry:
		e := g.p.ownHalf(1)
		e.Key ^= uint32(args[1] & 1)
		e.Addr ^= uint64(args[1]>>1) << 56
		e.Length = uint32(u16(2))
		g.p.entry(int(args[0]&1), e)
		g.clean = false
	case stepHalf:
		g.p.entry(0, g.p.ownHalf(0))
		g.p.message(rsock.WindowMessage(64 + 1))
		g.clean = false // the window may be one that was announced before
	case stepFill:
		to := g.p.half()
		to.Addr, to.Length = to.Addr+uint64(u16(0)), uint64(u16(2)%rawHalf)
		_ = g.p.conn.PostWrite(rdma.Write{From: g.p.memory.Slice(0, int(to.Length)), To: to, Flags: rdma.NoCompletion})
		g.clean = g.clean && u16(0)+int(to.Length) <= int(g.p.hello.Half.Length)
	case stepCarrier:
		n := int(args[0] % 9)
		_ = g.p.conn.PostSend(rdma.Send{From: g.p.memory.Slice(3900, n), Flags: rdma.NoCompletion})
		g.broken = g.clean && n <= rsock.MessageSize && (g.p.conn.Path() != "tcp" || n != rsock.MessageSize)
		g.clean = false
	case stepEnd:
		g.message([]rsock.Message{rsock.Shutdown, rsock.Disconnect}[args[0]&1])
	}
}

// message sends m, and looks whether no peer may ever send it.
func (g *fuzzGame) message(m rsock.Message) {
	g.p.message(m)
	wrong := false
	switch m.Kind() {
	case rsock.Data:
		wrong = m.Value() == 0 || m.Value() > uint32(fuzzConfig.MaxRing/2)
	case rsock.Window, rsock.IOMapped, rsock.Control:
	default:
		wrong = true
	}
	g.broken = g.clean && wrong
	g.clean = g.clean && m.Kind() == rsock.Data
}

// fuzzSeeds are one script for each rule, on both paths.
func fuzzSeeds() (seeds [][]byte) {
	hello := (&rsock.Hello{Flags: rsock.BigEndian, Credits: 1, Table: rsock.Entry{Addr: 64, Key: 1, Length: 3}, Half: rsock.Entry{Addr: 4096, Key: 1, Length: 1}}).Append(nil)
	for _, s := range [][]byte{
		{stepData, 1, 0, stepFill, 0, 0, 9, 0, stepData, 0, 1, stepData, 0, 0},
		{stepData, 0, 8, stepData, 0, 8, stepData, 0, 8, stepData, 0, 8},
		{stepWindow, 65, 0, stepWindow, 63, 0},
		{stepRaw, 1, 0, 0, 0x20}, {stepRaw, 7, 0, 0, 0xe0}, {stepRaw, 0, 0, 0, 0xc0}, {stepRaw, 0xff, 0xff, 0xff, 0x1f},
		{stepHalf, stepData, 5, 0, stepHalf, stepEnd, 0}, {stepEnd, 0, stepData, 1, 0}, {stepEnd, 1, stepData, 1, 0},
		{stepEntry, 0, 1, 0, 4, stepWindow, 65, 0}, {stepEntry, 0, 0, 0, 0, stepWindow, 65, 0}, {stepEntry, 0, 0xfe, 0, 4, stepWindow, 65, 0},
		{stepFill, 0, 0xff, 9, 0}, {stepCarrier, 3}, {stepCarrier, 4}, {stepCarrier, 5}, {stepCarrier, 0},
	} {
		for path := range byte(2) {
			seeds = append(seeds, append([]byte{path}, s...), append(append([]byte{path | 2}, hello...), s...))
		}
	}
	return seeds
}
