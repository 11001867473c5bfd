package peers_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// killedVariable has the test binary be our side of TestWeAreKilled: its value is the adapter, and the address
// of the C side.
const killedVariable = "GODAPL_RSOCKET_KILLED"

// TestWeAreKilled: our process is killed in the middle of a connection, and the C side learns of it. It has accepted
// the connection: one that has connected by rdma-core 44 with a blocking rconnect never learns it, by C either.
func TestWeAreKilled(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		at := port()
		p := start(t, nil, "rsocket-peer", "listen", w.host, at, "recv:4", "send:4", "gone")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		us := exec.CommandContext(ctx, os.Args[0])
		us.Env = append(os.Environ(), killedVariable+"="+w.adapter.Name()+" "+w.host+":"+at)
		us.Stderr = os.Stderr
		in, err := us.StdinPipe()
		must(t, err)
		out, err := us.StdoutPipe()
		must(t, err)
		must(t, us.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line != "connected over "+w.path()+"\n" {
			t.Errorf("our process says %q, %v", line, err)
		}
		if err := p.overRDMA(); err != nil {
			t.Error(err)
		}
		must(t, in.Close()) // now
		if us.Wait() == nil {
			t.Error("our process was not killed")
		}
		p.fine()
	})
}

// beKilled is our process.
func beKilled(what string) error {
	var adapter, address string
	if _, err := fmt.Sscan(what, &adapter, &address); err != nil {
		return err
	}
	a, err := rdma.Open(context.Background(), adapter, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	d := rsocket.Dialer{Adapter: a}
	tick := time.NewTicker(50 * time.Millisecond)
	for end := time.Now().Add(patience); ; <-tick.C {
		c, err := d.Dial("tcp", address)
		if err != nil { // the C side may not listen yet
			if time.Now().After(end) || errors.Is(err, rsocket.ErrProtocol) {
				return err
			}
			continue
		}
		us := actor{c: c.(*rsocket.Conn)}
		if err := errors.Join(us.send(4, 4), us.recv(4, 4)); err != nil {
			return err
		}
		fmt.Println("connected over", c.LocalAddr().Network())
		_, _ = io.Copy(io.Discard, os.Stdin)
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		_ = self.Kill()
		select {}
	}
}
