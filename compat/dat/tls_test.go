package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// TestTLS: a provider's options make its adapters use TLS. A peer without it is not connected, and an adapter that has
// none is not opened.
func TestTLS(t *testing.T) {
	options := rdma.OpenConfig{TLS: tlstest.NewAuthority().Config("peer.test")}
	for name, device := range map[string]string{"secure": "soft-tcp", "never": "soft-loop"} {
		p := &dat.Provider{DeviceName: device, Options: options}
		info := &dat.ProviderInfo{IAName: name, DaplVersionMajor: 1, DaplVersionMinor: 2}
		ok(t, dat.RegistryAddProvider(p, info))
		defer dat.RegistryRemoveProvider(p, info)
	}
	t.Run("connected", func(t *testing.T) {
		a, b := newSide(t, "secure", nil), newSide(t, "secure", nil)
		connect(a, b, "soft-tcp")
		ok(t, dat.EPPostRecv(b.ep, 1, b.mem.iov(64, 8), num(1), 0))
		copy(a.mem.b, "encoded!")
		ok(t, dat.EPPostSend(a.ep, 1, a.mem.iov(0, 8), num(2), 0))
		completion(t, a.req, dat.DTOSuccess)
		completion(t, b.recv, dat.DTOSuccess)
		if got := string(b.mem.b[64:72]); got != "encoded!" {
			t.Errorf("%q came", got)
		}
	})
	t.Run("a plain peer", func(t *testing.T) {
		plain, secure := newSide(t, "soft-tcp", nil), newSide(t, "secure", nil)
		qual := service("soft-tcp")
		var psp dat.PSPHandle
		ok(t, dat.PSPCreate(secure.ia, qual, secure.cr, dat.PSPConsumerFlag, &psp))
		ok(t, dat.EPConnect(plain.ep, host("soft-tcp"), qual, second, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
		expect(t, plain.conn, dat.ConnectionEventNonPeerRejected)
		empty(t, secure.cr)
	})
	var ia dat.IAHandle
	var async dat.EVDHandle
	if ret := dat.IAOpen("never", 8, &async, &ia); ret == dat.Success {
		t.Error("an adapter without TLS was opened")
	}
}
