package vipl_test

import (
	"net/netip"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
)

// TestAPortOfAnotherProgram: it accepts whoever comes, and does not know VIPL. Nobody waits there, and the receive of
// the VI is there for the next connection.
func TestAPortOfAnotherProgram(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for what, private := range map[string]string{"without private data": "", "with its own": "welcome to this place", "with a request": "V\x01\x01\x02\x00\x00\x80\x00\x03\x00\x00"} {
			t.Run(what, func(t *testing.T) {
				s, port := newSide(t, name), port()
				accepted := foreign(t, s, port, private)
				d, into := s.recv(8)
				var attrs vipl.VIAttributes
				want(t, vipl.ConnectRequest(s.vi, s.address(), s.at(port, 1), second, &attrs), vipl.NoMatch)
				if st := s.state(); st != vipl.StateIdle {
					t.Error(st)
				}
				<-accepted
				other := newSide(t, name)
				connect(other, s)
				send(other, "message1")
				s.received(d, vipl.StatusOpReceive)
				if string(into) != "message1" {
					t.Errorf("got %q", into)
				}
			})
		}
	})
}

// foreign is a program that listens at a port of the side's host, and accepts one request with private data of its own.
func foreign(t *testing.T, s *side, port int, private string) (accepted chan struct{}) {
	t.Helper()
	adapter, err := rdma.Open(t.Context(), s.name, rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { adapter.Close() })
	zone, err := adapter.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	ip, _ := netip.AddrFromSlice(s.host)
	listener, err := adapter.Listen(t.Context(), netip.AddrPortFrom(ip, uint16(port)).String(), rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	accepted = make(chan struct{})
	go func() {
		defer close(accepted)
		if request := <-listener.Requests(); request != nil {
			// An error is none here: the peer leaves at once.
			_, _ = request.Accept(t.Context(), rdma.EndpointConfig{Zone: zone, Private: []byte(private)})
		}
	}()
	return accepted
}
