package peer

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/internal/doctor"
)

func noStep(string, int) {}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server for the test, which ends with it.
func serve(t *testing.T) (address string, visits chan Visit) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	visits, ended := make(chan Visit, 16), make(chan error, 1)
	look := func() *doctor.Report { return &doctor.Report{Host: "server"} }
	go func() { ended <- Serve(ctx, ln, look, func(v Visit) { visits <- v }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String(), visits
}

// Both sides have the report of the other, and the result of the test.
func TestBothViews(t *testing.T) {
	address, visits := serve(t)
	report := &doctor.Report{Host: "client"}
	var steps []string
	other, err := Ask(t.Context(), address, report, func(what string, left int) { steps = append(steps, fmt.Sprint(what, " ", left)) })
	if want := []string{"asking " + address + " 1", "trying soft-tcp with soft-tcp of server 1"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if err != nil || other.Host != "server" {
		t.Fatalf("%+v, %v", other, err)
	}
	want := doctor.Test{Name: "peer.test", Object: "soft-tcp with soft-tcp of server", OK: true, Detail: "tcp"}
	if len(report.Tests) != 1 || report.Tests[0] != want || len(report.Findings) != 0 {
		t.Errorf("the client has %+v", report)
	}
	v := <-visits
	if v.Err != nil || v.Report.Host != "client" || len(v.Tests) != 1 || v.Tests[0] != want {
		t.Errorf("the server has %+v", v)
	}
}

// A client that is none gets nothing, and disturbs no other.
func TestStrangeClients(t *testing.T) {
	address, visits := serve(t)
	for _, text := range []string{"", "GET / HTTP/1.0\r\n\r\n", "{}", `{"godaplDoctor":99}`, `{"godaplDoctor":1,"report":7}`, `{"godaplDoctor":1}`} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(conn)
		conn.Close()
		if got := strings.HasPrefix(string(answer), `{"report"`); got != (text == `{"godaplDoctor":1}`) {
			t.Errorf("to %q the server answers %.80q", text, answer)
		}
		if v := <-visits; v.Err == nil {
			t.Errorf("%q was taken for a doctor", text)
		}
	}
	if _, err := Ask(t.Context(), address, new(doctor.Report), noStep); err != nil {
		t.Error(err)
	}
	<-visits
}

func TestNobodyThere(t *testing.T) {
	if _, err := Ask(t.Context(), "127.0.0.1:1", new(doctor.Report), noStep); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
}

// A server cannot send its client to another host, nor to many places.
func TestPlacesElsewhere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ended := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			defer conn.Close()
			o := offer{Report: new(doctor.Report)}
			for range 2000 {
				o.Places = append(o.Places, place{Adapter: "soft-tcp", Kind: "TCP", Address: "127.0.0.2:1"})
			}
			t := newTalk(conn)
			if err = t.receive(new(hello)); err == nil {
				if err = t.send(o); err == nil {
					err = t.receive(new(results))
				}
			}
		}
		ended <- err
	}()
	report := new(doctor.Report)
	if _, err := Ask(t.Context(), ln.Addr().String(), report, noStep); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(report.Tests) != 1 || report.Tests[0].OK || !strings.Contains(report.Tests[0].Detail, "127.0.0.1:1") {
		t.Errorf("%d tests: %+v", len(report.Tests), report.Tests[:min(2, len(report.Tests))])
	}
}

func TestWithPort(t *testing.T) {
	for address, want := range map[string]string{
		"host": "host:7175", "host:80": "host:80", "192.0.2.1": "192.0.2.1:7175",
		"::1": "[::1]:7175", "[::1]": "[::1]:7175", "[::1]:80": "[::1]:80", "fe80::1%eth0": "[fe80::1%eth0]:7175",
	} {
		if got := withPort(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
