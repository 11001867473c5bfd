package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

func TestSendReceive(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		ok(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(0, 64), num(7), dat.CompletionDefaultFlag))
		copy(b.mem.b, "hello")
		ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 5), num(8), dat.CompletionDefaultFlag))
		c := completion(t, a.recv, dat.DTOSuccess)
		if c.UserCookie != num(7) || c.TransferedLength != 5 || c.EPHandle != a.ep || c.Operation != dat.DTOReceive || string(a.mem.b[:5]) != "hello" {
			t.Fatalf("received %+v, %q", c, a.mem.b[:5])
		}
		c = completion(t, b.req, dat.DTOSuccess)
		if c.UserCookie != num(8) || c.TransferedLength != 5 || c.EPHandle != b.ep || c.Operation != dat.DTOSend {
			t.Fatalf("sent %+v", c)
		}
		ok(t, dat.EPDisconnect(b.ep, dat.CloseGracefulFlag))
		expect(t, a.conn, dat.ConnectionEventDisconnected)
		expect(t, b.conn, dat.ConnectionEventDisconnected)
	})
}

func TestRDMA(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		copy(b.mem.b, "written")
		ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 7), num(1), a.mem.remote(100, 7), dat.CompletionDefaultFlag))
		completion(t, b.req, dat.DTOSuccess)
		ok(t, dat.EPPostRDMARead(b.ep, 1, b.mem.iov(1000, 100), num(2), a.mem.remote(100, 7), dat.CompletionDefaultFlag))
		if c := completion(t, b.req, dat.DTOSuccess); c.TransferedLength != 7 || c.Operation != dat.DTORDMARead {
			t.Fatalf("read %+v", c)
		}
		if string(b.mem.b[1000:1007]) != "written" || string(a.mem.b[100:107]) != "written" {
			t.Fatalf("read %q, written %q", b.mem.b[1000:1007], a.mem.b[100:107])
		}
	})
}
