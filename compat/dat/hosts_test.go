package dat_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// named is an address that is a name.
type named string

func (named) Network() string  { return "rdma" }
func (n named) String() string { return string(n) }

func TestHostsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ibhosts")
	t.Setenv("GODAPL_IBHOSTS", path)
	paths(t, func(t *testing.T, name string) {
		text := "# name  address\nold-1 0xfe80000000000000 0x0001730000003d11\n\nstorage-1\t" + host(name).String() +
			" # this one\nstorage-1 192.0.2.1\n192.0.2.9 " + host(name).String() + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, to := range []dat.IAAddressPtr{named("Storage-1"), parseAddr("192.0.2.9"), host(name)} {
			passive, active := newSide(t, name, nil), newSide(t, name, nil)
			qual := service(name)
			var psp dat.PSPHandle
			ok(t, dat.PSPCreate(passive.ia, qual, passive.cr, dat.PSPConsumerFlag, &psp))
			ok(t, dat.EPConnect(active.ep, to, qual, second, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
			cr := expect(t, passive.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
			ok(t, dat.CRAccept(cr, passive.ep, 0, nil))
			expect(t, active.conn, dat.ConnectionEventEstablished)
		}
		s := newSide(t, name, nil)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		want(t, dat.EPConnect(s.ep, host(name), 1, second, 0, nil, 0, 0), dat.InternalError)
		want(t, dat.EPCommonConnect(s.ep, host(name), second, 0, nil), dat.InternalError)
	})
}
