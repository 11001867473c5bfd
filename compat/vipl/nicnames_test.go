package vipl_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestNamesOfDevices: a file gives adapters other names.
func TestNamesOfDevices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nics")
	text := "# names\n/dev/via_lo soft-loop # one\nnic0 no-such-adapter\nnic0\tsoft-shm\nnic0 soft-loop\n" +
		"soft-tcp soft-loop\nthree soft-loop words\nagain nic0\nnothing\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(name string) (ret vipl.Return, adapter string) {
		nic := vipl.NICHandle(1)
		if ret = vipl.OpenNic(name, &nic); ret != vipl.Success {
			if nic != 0 {
				t.Errorf("%s: the handle is %#x", name, nic)
			}
			return ret, ""
		}
		var q vipl.NICAttributes
		if ok(t, vipl.QueryNic(nic, &q)); q.Name != name {
			t.Errorf("%s is called %q", name, q.Name)
		}
		adapter = vipl.AdapterOf(nic)
		return vipl.CloseNic(nic), adapter
	}
	t.Setenv("GODAPL_VINICS", file)
	for name, wanted := range map[string]string{"/dev/via_lo": "soft-loop", "nic0": "soft-shm", "soft-tcp": "soft-tcp", "soft-loop": "soft-loop"} {
		if ret, adapter := open(name); ret != vipl.Success || adapter != wanted {
			t.Errorf("%s: %v, %q", name, ret, adapter)
		}
	}
	for _, name := range []string{"three", "again", "nothing", "no-such-adapter", "names", "#", "nic"} {
		if ret, _ := open(name); ret != vipl.InvalidParameter {
			t.Errorf("%s: %v", name, ret)
		}
	}
	t.Setenv("GODAPL_VINICS", file+"x")
	for name, wanted := range map[string]vipl.Return{"nic0": vipl.InvalidParameter, "soft-loop": vipl.Success} {
		if ret, _ := open(name); ret != wanted {
			t.Errorf("%s, without a file: %v", name, ret)
		}
	}
}
