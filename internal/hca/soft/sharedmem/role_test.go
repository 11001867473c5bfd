package sharedmem_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// A test that needs two processes starts its own binary again, which then plays a role: "serve PATH" is a
// server of that path, which sends back what it receives. A client that tells it an address and a key of its
// own gets the first word of the server's memory written back whenever that changes.
const (
	roleVariable   = "GODAPL_SOFT_ROLE"
	silentVariable = "GODAPL_SOFT_SILENT" // nobody takes messages
	denyVariable   = "GODAPL_SOFT_DENY"   // what the system lacks or forbids: see deny
)

// playRole is the other process. It ends when its input ends.
func playRole() {
	if what := os.Getenv(denyVariable); what != "" {
		if err := deny(what); err != nil {
			fmt.Println("cannot deny:", err)
			os.Exit(1)
		}
	}
	if os.Getenv(roleVariable) == "dial" {
		playDialer()
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); cancel() }()
	fail := func(err error) {
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	d := soft.Driver(strings.TrimPrefix(os.Getenv(roleVariable), "serve "))
	a, err := d.Open(ctx, d.Names()[0], hca.Options{})
	fail(err)
	pd, err := a.NewPD()
	fail(err)
	doorbell := make(chan struct{}, 1)
	cq, err := a.NewCQ(hca.CQConfig{Depth: 256, Notify: func() {
		select {
		case doorbell <- struct{}{}:
		default:
		}
	}})
	fail(err)
	mem := roleMemory(1 << 20)
	mr, err := pd.Register(mem, hca.AllAccess)
	fail(err)
	qp, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 64, RecvDepth: 64, ReadsIn: 8, ReadsOut: 8})
	fail(err)
	const room = 64 << 10 // of one receive, at the end of the memory
	at := func(i uint64, n uint32) hca.Segment {
		return hca.Segment{Addr: mr.Addr() + 512<<10 + i%8*room, Len: n, Key: mr.LKey()}
	}
	for i := range uint64(8) {
		fail(qp.PostRecv(hca.RecvWR{ID: i, Local: at(i, room)}))
	}
	l, err := a.Listen(ctx, hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		private := binary.LittleEndian.AppendUint64(nil, mr.Addr())
		private = binary.LittleEndian.AppendUint32(private, uint32(mr.RKey()))
		go func() {
			fail(r.Accept(ctx, qp, hca.ConnParams{Private: private}))
			if p := r.Private(); len(p) == 12 {
				putBack(ctx, qp, cq, mr, mem.Bytes, binary.LittleEndian.Uint64(p), hca.Key(binary.LittleEndian.Uint32(p[8:])))
			}
		}()
		return true
	}})
	fail(err)
	fmt.Println("listening", l.Addr())
	var wcs [16]hca.WC
	if os.Getenv(silentVariable) != "" {
		<-ctx.Done()
	}
	for ctx.Err() == nil {
		fail(cq.Arm())
		n := cq.Poll(wcs[:])
		if n == 0 {
			select {
			case <-doorbell:
			case <-ctx.Done():
			}
		}
		for _, wc := range wcs[:n] {
			if wc.Op == hca.OpRecv && wc.Status == hca.StatusOK {
				fail(qp.PostSend(hca.SendWR{ID: wc.ID, Op: hca.OpSend, Local: at(wc.ID, uint32(wc.Len))}))
			} else if wc.Op == hca.OpSend && wc.Status == hca.StatusOK {
				fail(qp.PostRecv(hca.RecvWR{ID: wc.ID, Local: at(wc.ID, room)}))
			}
		}
	}
	fail(a.Close())
}

// server is the other process, as a test sees it.
type server struct {
	address string
	put     bool // it writes back
	cmd     *exec.Cmd
	in      io.Closer
}

func startServer(t testing.TB, path string, env ...string) *server {
	t.Helper()
	return startServerOf(t, exec.Command(os.Args[0]), path, env...)
}

func startServerOf(t testing.TB, cmd *exec.Cmd, path string, env ...string) *server {
	t.Helper()
	s := &server{cmd: cmd}
	s.cmd.Env = append(append(os.Environ(), roleVariable+"=serve "+path), env...)
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in = in
	line, err := bufio.NewReader(out).ReadString('\n')
	if strings.HasPrefix(line, "cannot deny: ") {
		in.Close()
		_ = s.cmd.Wait()
		t.Skip(line)
	}
	if err != nil || !strings.HasPrefix(line, "listening ") {
		t.Fatalf("the other process: %v %q", err, line)
	}
	s.address = strings.TrimSpace(strings.TrimPrefix(line, "listening "))
	t.Cleanup(func() {
		in.Close()
		_ = s.cmd.Wait()
	})
	return s
}
