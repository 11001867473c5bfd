package sharedmem_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// user is this process's side of a connection with a server.
type user struct {
	t      testing.TB
	a      hca.Adapter
	qp     hca.QP
	cq     hca.CQ
	mr     hca.MR
	mem    []byte
	info   *hca.ConnInfo
	events chan hca.ConnEvent
	remote uint64
	rkey   hca.Key
}

func newUser(t testing.TB, path string, log *slog.Logger, s *server) *user {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	u := &user{t: t, events: make(chan hca.ConnEvent, 4)}
	d := soft.Driver(path)
	var err error
	u.a, err = d.Open(context.Background(), d.Names()[0], hca.Options{Log: log})
	ok(err)
	t.Cleanup(func() { ok(u.a.Close()) })
	pd, err := u.a.NewPD()
	ok(err)
	u.cq, err = u.a.NewCQ(hca.CQConfig{Depth: 1024})
	ok(err)
	m := softtest.FileMemory(t, 1<<20)
	u.mem = m.Bytes
	u.mr, err = pd.Register(m, hca.AllAccess)
	ok(err)
	u.qp, err = u.a.NewQP(hca.QPConfig{PD: pd, SendCQ: u.cq, RecvCQ: u.cq, SendDepth: 256, RecvDepth: 256, ReadsIn: 8, ReadsOut: 8,
		Event: func(ev hca.ConnEvent) { u.events <- ev }})
	ok(err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	where := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, u.mr.Addr()), uint32(u.mr.RKey()))
	if !s.put {
		where = nil
	}
	ok(u.qp.Connect(ctx, s.address, hca.ConnParams{Private: where}))
	u.info = (<-u.events).Info
	u.remote = binary.LittleEndian.Uint64(u.info.Private)
	u.rkey = hca.Key(binary.LittleEndian.Uint32(u.info.Private[8:]))
	return u
}

func (u *user) seg(off, n int) hca.Segment {
	return hca.Segment{Addr: u.mr.Addr() + uint64(off), Len: uint32(n), Key: u.mr.LKey()}
}

func (u *user) wait(n int) []hca.WC {
	u.t.Helper()
	var all []hca.WC
	for late := time.Now().Add(30 * time.Second); len(all) < n; runtime.Gosched() {
		var wcs [16]hca.WC
		all = append(all, wcs[:u.cq.Poll(wcs[:])]...)
		if time.Now().After(late) {
			u.t.Fatalf("%d of %d entries in 30 s", len(all), n)
		}
	}
	return all
}

func (u *user) do(wr hca.SendWR) {
	u.t.Helper()
	if err := u.qp.PostSend(wr); err != nil {
		u.t.Fatal(err)
	}
	if wc := u.wait(1)[0]; wc.Status != hca.StatusOK {
		u.t.Fatalf("%v: %v", wr.Op, wc.Status)
	}
}

// TestTwoProcessesOfOneHost: every operation, with another process of this host that was found without
// configuration.
func TestTwoProcessesOfOneHost(t *testing.T) {
	u := newUser(t, "", nil, startServer(t, ""))
	if u.info.Path != "shm" || !u.info.Acked {
		t.Fatalf("path %q, acknowledged %v", u.info.Path, u.info.Acked)
	}
	for round, n := range []int{1, 8, 100, 4096, 70000, 300000} {
		for i := range n {
			u.mem[i] = byte(i*3 + round)
		}
		u.do(hca.SendWR{Op: hca.OpWrite, Local: u.seg(0, n), Remote: u.remote + 16, RKey: u.rkey})
		u.do(hca.SendWR{Op: hca.OpRead, Local: u.seg(512<<10, n), Remote: u.remote + 16, RKey: u.rkey})
		if !bytes.Equal(u.mem[:n], u.mem[512<<10:512<<10+n]) {
			t.Fatalf("%d bytes written and read back differ", n)
		}
		n = min(n, 64<<10)
		if err := u.qp.PostRecv(hca.RecvWR{Local: u.seg(600<<10, n)}); err != nil {
			t.Fatal(err)
		}
		if err := u.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: u.seg(0, n)}); err != nil {
			t.Fatal(err)
		}
		for _, wc := range u.wait(2) {
			if wc.Status != hca.StatusOK || wc.Len != uint64(n) {
				t.Fatalf("%v of %d: %v", wc.Op, wc.Len, wc.Status)
			}
		}
		if !bytes.Equal(u.mem[:n], u.mem[600<<10:600<<10+n]) {
			t.Fatalf("%d bytes sent and sent back differ", n)
		}
	}
	for i := range 5 {
		u.do(hca.SendWR{Op: hca.OpFetchAdd, Local: u.seg(0, 8), Remote: u.remote, RKey: u.rkey, Operand: 2})
		if got := binary.NativeEndian.Uint64(u.mem); got != uint64(2*i) {
			t.Fatalf("fetch-add %d: the former value is %d", i, got)
		}
	}
	if err := u.qp.Disconnect(true); err != nil {
		t.Fatal(err)
	}
	if ev := <-u.events; ev.Kind != hca.EventDisconnected {
		t.Fatalf("%+v", ev)
	}
}

// TestPeerProcessKilled: everything posted completes, and the connection ends at once with the reason.
func TestPeerProcessKilled(t *testing.T) {
	s := startServer(t, "shm")
	u := newUser(t, "shm", nil, s)
	posted := 0
	for i := range 200 {
		if i == 100 {
			if err := s.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		wr := hca.SendWR{Op: hca.OpSend, Local: u.seg(0, 64)}
		if i%2 == 0 {
			wr = hca.SendWR{Op: hca.OpRead, Local: u.seg(0, 4096), Remote: u.remote, RKey: u.rkey}
		}
		if err := u.qp.PostSend(wr); err != nil {
			t.Fatal(err)
		}
		posted++
	}
	select {
	case ev := <-u.events:
		if ev.Kind != hca.EventBroken || ev.Err == nil {
			t.Fatalf("%+v", ev)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("no word of the peer's end")
	}
	if got := u.wait(posted); len(got) != posted {
		t.Fatalf("%d entries of %d", len(got), posted)
	}
}

// TestFallsBackToTheNetwork: a listener of this host that is not on this path is found over the network, and
// the log tells why.
func TestFallsBackToTheNetwork(t *testing.T) {
	var log strings.Builder
	u := newUser(t, "", slog.New(slog.NewTextHandler(&log, nil)), startServer(t, "tcp"))
	if u.info.Path != "tcp" {
		t.Fatalf("path %q", u.info.Path)
	}
	if !strings.Contains(log.String(), "not over shared memory") || !strings.Contains(log.String(), "reason=") {
		t.Errorf("the log does not say why:\n%s", &log)
	}
	u.do(hca.SendWR{Op: hca.OpWrite, Local: u.seg(0, 100), Remote: u.remote, RKey: u.rkey})
}
