package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// TestPeersDoNotChangeTheTerminal: the error of a command may have text of a peer in it.
func TestPeersDoNotChangeTheTerminal(t *testing.T) {
	for name, c := range map[string]struct{ args, answer, want string }{
		"perf": {"perf -path tcp -peer", `{"Err":"\u001b[2J\u009bmno memory\r\nfor it"}`, "no memory\nfor it"},
		"top":  {"top -once", "HTTP/1.1 404 \x1b[2JGone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "Gone"},
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var peer sync.WaitGroup
			defer peer.Wait()
			defer ln.Close()
			peer.Go(func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 1)) // both ask first
				_, _ = io.WriteString(conn, c.answer)
				_, _ = io.Copy(io.Discard, conn)
			})
			_, _, errs := call(t, append(strings.Fields(c.args), ln.Addr().String())...)
			if !strings.Contains(errs, c.want) {
				t.Errorf("it says %q, want %q in it", errs, c.want)
			}
			for _, r := range errs {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("it says %q, with %q in it", errs, r)
					break
				}
			}
		})
	}
}
