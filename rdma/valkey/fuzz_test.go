package valkey_test

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// fuzzConfig has a buffer that a few writes fill.
var fuzzConfig = valkey.Config{Buffer: 4096, Send: 16 << 10, Receives: 16, Linger: time.Second}

// Steps of a script. Each is a byte, followed by as many bytes of arguments as stepArgs has.
const (
	stepData    = iota // length: a write where the next one belongs
	stepWrite          // offset, length, number
	stepMemory         // what is wrong with it, length
	stepMessage        // opcode, group
	stepBytes          // length, and what they are
	stepCount          // number: a write of no bytes
	steps
)

var stepArgs = [steps]int{2, 6, 3, 2, 2, 4}

// FuzzPeer plays a script as the peer of a connection whose program reads and writes. The first byte
// chooses the path, and whether the peer is the server. Whatever happens, Read and Write return
// with an error that they are known for, soon after the peer is gone. A peer that breaks a rule which
// needs no counting is told so without being gone first.
func FuzzPeer(f *testing.F) {
	for _, s := range fuzzSeeds() {
		f.Add(s)
	}
	adapters := []*rdma.Adapter{open(f, "soft-loop"), open(f, "soft-tcp")}
	listeners := []*valkey.Listener{listen(f, adapters[0], fuzzConfig), listen(f, adapters[1], fuzzConfig)}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 400 {
			return
		}
		g := &fuzzGame{t: t, server: script[0]&2 != 0, clean: true, read: make(chan error, 1), written: make(chan error, 1)}
		var conn *valkey.Conn
		if g.server {
			g.p, conn = rawServer(t, adapters[script[0]&1], fuzzConfig)
		} else {
			g.p, conn = rawPair(t, adapters[script[0]&1], listeners[script[0]&1])
		}
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
			if err := g.await(g.read); !errors.Is(err, valkey.ErrProtocol) {
				t.Errorf("read: %v", err)
			}
			g.read <- nil
		}
		_ = g.p.conn.Abort()
		if err := g.await(g.read); err != nil && !errors.Is(err, valkey.ErrProtocol) && !errors.Is(err, valkey.ErrReset) {
			t.Errorf("read: %v", err)
		}
		if err := g.await(g.written); !errors.Is(err, valkey.ErrProtocol) && !errors.Is(err, valkey.ErrReset) {
			t.Errorf("write: %v", err)
		}
	})
}

type fuzzGame struct {
	t             *testing.T
	p             *rawPeer
	server        bool // the peer is the server
	at            int  // of its next byte in the buffer
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
	for range 48 {
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
	const size = 4096
	switch step {
	case stepData:
		n := min(u16(0)%1000+1, size-g.at)
		g.p.write(g.at, n, uint32(n))
		if g.at += n; g.at == size {
			g.at, g.clean = 0, false // whether it has been read is not known
		}
	case stepWrite:
		at, n, number := u16(0), u16(2)%2000, u16(4)
		g.p.write(at, n, uint32(number))
		if at+n <= size {
			g.broke(n != number || n == 0 || n > size-g.at)
		}
		g.clean = false
	case stepMemory:
		to := g.p.memory.Remote()
		length := uint32(u16(1))
		g.p.send(valkey.Register(to.Addr+1024^uint64(args[0]>>1)<<56, length, uint32(to.Key)^uint32(args[0]&1)))
		g.broke(length == 0)
		g.clean = false
	case stepMessage:
		m := opcode(args[0] % 6)
		m[3] = args[1]
		g.p.send(m)
		g.broke(args[0]%6 > 3 || args[0]%6 == 1 && g.server)
		g.clean = g.clean && args[0]%6 == 2
	case stepBytes:
		b := make([]byte, args[0]%40)
		for i := range b {
			b[i] = args[1]
		}
		g.p.send(b)
		g.broke(len(b) < 32)
		g.clean = false
	case stepCount:
		g.p.write(g.at, 0, binary.LittleEndian.Uint32(args))
		g.broke(true)
	}
}

// broke takes note that a rule was broken, if it is certain that the other side finds that out.
func (g *fuzzGame) broke(wrong bool) { g.broken = g.broken || g.clean && wrong }

// fuzzSeeds are one script for each rule, on both paths and in both roles.
func fuzzSeeds() (seeds [][]byte) {
	for _, s := range [][]byte{
		{stepData, 1, 0, stepData, 0, 1, stepMessage, 2, 0, stepData, 9, 0},
		{stepData, 231, 3, stepData, 231, 3, stepData, 231, 3, stepData, 231, 3, stepData, 231, 3, stepData, 1, 0},
		{stepWrite, 0, 0, 10, 0, 11, 0}, {stepWrite, 0xff, 0xff, 10, 0, 10, 0}, {stepWrite, 0, 0, 0, 0, 0, 0}, {stepWrite, 0, 8, 10, 0, 10, 0},
		{stepMemory, 0, 0, 1, stepData, 1, 0, stepMemory, 0, 16, 0}, {stepMemory, 1, 0, 1}, {stepMemory, 0xfe, 0, 1}, {stepMemory, 0, 0, 0},
		{stepMessage, 0, 0, stepMessage, 0, 1}, {stepMessage, 1, 0}, {stepMessage, 4, 0},
		{stepBytes, 31, 0}, {stepBytes, 32, 255}, {stepBytes, 33, 0}, {stepBytes, 0, 0},
		{stepCount, 0, 0, 0, 0}, {stepCount, 255, 255, 255, 255},
	} {
		for where := range byte(4) {
			seeds = append(seeds, append([]byte{where}, s...))
		}
	}
	return seeds
}
