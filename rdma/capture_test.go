package rdma_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func captures(t *testing.T, dir string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.pcapng"))
	must(t, err)
	return len(names)
}

// TestCaptureFromEnvironment: the variables are heard by adapters that have a
// wire, ignored by others, and less than what the program says.
func TestCaptureFromEnvironment(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	t.Setenv("GODAPL_CAPTURE", filepath.Join(dir, "x.pcapng"))
	opened := func(name string, opt rdma.OpenConfig) error {
		a, err := rdma.Open(within(t), name, opt)
		if err == nil {
			err = a.Close()
		}
		return err
	}
	must(t, opened("soft", rdma.OpenConfig{}))
	must(t, opened("soft-tcp", rdma.OpenConfig{}))
	if n := captures(t, dir); n != 2 {
		t.Errorf("%d captures of two adapters", n)
	}
	must(t, opened("soft-loop", rdma.OpenConfig{}))
	explicit := rdma.OpenConfig{Capture: rdma.Capture{Path: filepath.Join(other, "y.pcapng")}}
	must(t, opened("soft-tcp", explicit))
	wantCode(t, opened("soft-loop", explicit), rdma.ErrUnsupported, "soft-loop, by option")
	if n, m := captures(t, dir), captures(t, other); n != 2 || m != 1 {
		t.Errorf("%d captures where the environment says, %d where the program says", n, m)
	}
	for _, c := range [][2]string{{"GODAPL_CAPTURE_SIZE", "10MB"}, {"GODAPL_CAPTURE_SIZE", "-1"}, {"GODAPL_CAPTURE_SIZE", "1000"},
		{"GODAPL_CAPTURE_FILES", "0"}, {"GODAPL_CAPTURE_FILES", "many"}, {"GODAPL_CAPTURE", filepath.Join(dir, "not", "there")}} {
		was, had := os.LookupEnv(c[0])
		must(t, os.Setenv(c[0], c[1]))
		wantCode(t, opened("soft-tcp", rdma.OpenConfig{}), rdma.ErrInvalid, c[0]+"="+c[1])
		must(t, os.Unsetenv(c[0]))
		if had {
			must(t, os.Setenv(c[0], was))
		}
	}
	must(t, os.Setenv("GODAPL_CAPTURE_SIZE", "1048576"))
	defer os.Unsetenv("GODAPL_CAPTURE_SIZE")
	must(t, opened("soft-tcp", rdma.OpenConfig{}))
	if n := captures(t, dir); n != 3 {
		t.Errorf("%d captures, want 3", n)
	}
}

// TestCaptureEndsEarly: where the next file cannot be, the program is told, and
// its data moves on.
func TestCaptureEndsEarly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	a, err := rdma.Open(within(t), "soft-tcp", rdma.OpenConfig{Capture: rdma.Capture{Path: filepath.Join(dir, "x"), FileSize: 1 << 20}})
	must(t, err)
	defer a.Close()
	zone, err := a.NewZone()
	must(t, err)
	region, err := zone.Alloc(4<<20, mem.All)
	must(t, err)
	x := &side{adapter: a, zone: zone, mem: region}
	y := newSide(t, "soft-tcp")
	far, err := y.zone.Alloc(4<<20, mem.All)
	must(t, err)
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone})
	must(t, os.RemoveAll(dir))
	ctx := within(t)
	for i := range region.Bytes() {
		region.Bytes()[i] = byte(i * 7)
	}
	_, err = x.conn.Write(ctx, region.All(), far.Remote())
	must(t, err)
	ev, _, err := a.Async().Wait(ctx, 1)
	if err != nil || ev.Kind != rdma.AsyncCaptureEnded || ev.Adapter != a || !errors.Is(ev.Err, os.ErrNotExist) || ev.Kind.String() != "capture ended" {
		t.Errorf("event %+v, %v", ev, err)
	}
	_, err = x.conn.Write(ctx, region.All(), far.Remote())
	must(t, err)
	must(t, x.conn.Shutdown(ctx))
	<-y.conn.Context().Done()
	if !slices.Equal(region.Bytes(), far.Bytes()) {
		t.Error("other data")
	}
}
