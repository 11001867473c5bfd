package doctor

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// A trouble is something wrong with a healthy host, and the findings that it gives: each as
// "level name object".
type trouble struct {
	what    string
	spoil   func(h *host)
	options Options
	want    []string
}

func troubles() []trouble {
	return slices.Concat(deviceTroubles(), libraryTroubles(), portTroubles(), limitTroubles(), machineTroubles())
}

func TestFindings(t *testing.T) {
	for _, c := range troubles() {
		t.Run(c.what, func(t *testing.T) {
			h := healthy()
			c.spoil(h)
			report := Look(h.source(), c.options)
			var got []string
			for _, f := range report.Findings {
				got = append(got, strings.TrimSpace(string(f.Level)+" "+f.Name+" "+f.Object))
				if f.Found == "" || f.Why == "" || f.Mend == "" || f.Object != "" && strings.Contains(f.Mend, "OBJECT") {
					t.Errorf("incomplete: %+v", f)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("findings %q\nwant     %q", got, c.want)
			}
		})
	}
}

// Each kind of finding of Look is made by a trouble: nothing in the table is without a test.
func TestEveryKindIsProvoked(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range troubles() {
		for _, w := range c.want {
			seen[strings.Fields(w)[1]] = true
		}
	}
	for _, k := range Kinds() {
		if slices.ContainsFunc(testKinds, func(other Kind) bool { return other.Name == k.Name }) {
			continue // those are the self-tests'
		}
		if !seen[k.Name] {
			t.Errorf("no test provokes %s", k.Name)
		}
	}
}

// A host that has nothing, not even /proc, does not stop the examination.
func TestEmptyHost(t *testing.T) {
	r := Look((&host{Source: Source{OS: "linux"}}).source(), Options{})
	if r.Count(Problem) != 0 || r.Count(Warning) != 1 || r.Findings[0].Name != "proc.missing" {
		t.Errorf("%+v", r.Findings)
	}
}

func TestFacts(t *testing.T) {
	r := Look(healthy().source(), Options{})
	var all strings.Builder
	for _, f := range r.Facts {
		all.WriteString(f.Area + ": " + f.Text + "\n")
	}
	for _, want := range []string{
		"gid: rxe0 port 1: for 10.77.1.1 the connection manager takes GID 1, RoCE v2",
		"library: /usr/lib/libibverbs.so.1.14.44.0 (rdma-core 44.0)\nlibrary: /usr/lib/librdmacm.so.1.3.44.0 (rdma-core 44.0)",
		"port: rxe0 port 1: active, Ethernet, 100 Gb/sec (4X EDR), interface erxe",
		"file: /dev/infiniband/rdma_cm can be opened", "memlock: unlimited", "descriptors: at most 524288", "clock: tsc",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no fact %q in\n%s", want, &all)
		}
	}
	if r.CPUs != 5 || r.MTUs["rxe0:1"] != 4096 || r.System != "linux 6.12.1" {
		t.Errorf("%+v", r)
	}
}

var errDenied = &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}

func deviceTroubles() []trouble {
	return []trouble{
		{what: "nothing", spoil: func(*host) {}},
		{what: "another system", spoil: func(h *host) { h.OS = "darwin" }, want: []string{"note system.unsupported"}},
		{what: "no device", spoil: func(h *host) { *h = *bare() }, want: []string{"note device.none erxe", "note library.missing"}},
		{what: "no device, core loaded", spoil: func(h *host) {
			h.remove("sys/class/infiniband")
			h.files["sys/class/infiniband"] = "/"
		}, want: []string{"note device.none erxe"}},
		{what: "a required device", spoil: func(*host) {}, options: Options{Device: "rxe0"}},
		{what: "any required device", spoil: func(*host) {}, options: Options{Device: "any"}},
		{what: "another required device", spoil: func(*host) {}, options: Options{Device: "mlx5_0"}, want: []string{"problem device.required mlx5_0"}},
		{what: "any required device, none there", spoil: func(h *host) { *h = *bare() }, options: Options{Device: "any"}, want: []string{"problem device.required any", "note device.none erxe", "note library.missing"}},
		{what: "a card without its module", spoil: func(h *host) {
			h.files["sys/bus/pci/devices/0000:01:00.0/driver"] = "-> ../../../bus/pci/drivers/mlx5_core"
		}, want: []string{"warning device.unclaimed mlx5_ib"}},
		{what: "an InfiniBand card without driver", spoil: func(h *host) {
			h.files["sys/bus/pci/devices/0000:02:00.0/class"] = "0x020700"
		}, want: []string{"warning device.unclaimed mlx5_ib"}},
		{what: "an InfiniBand card of another maker without driver", spoil: func(h *host) {
			h.files["sys/bus/pci/devices/0000:02:00.0/class"] = "0x020700"
			h.files["sys/bus/pci/devices/0000:02:00.0/modalias"] = "pci:v00001077d00007322sv00001077sd00007322bc0Csc06i00"
		}, want: []string{"warning device.unclaimed pci:v00001077d00007322sv00001077sd00007322bc0Csc06i00"}},
		{what: "a card with its module", spoil: func(h *host) {
			h.files["sys/bus/pci/devices/0000:01:00.0/driver"] = "-> ../../../bus/pci/drivers/mlx5_core"
			h.files["sys/bus/pci/devices/0000:01:00.0/infiniband/mlx5_0/x"] = ""
		}},
		{what: "ib_uverbs unloaded", spoil: func(h *host) { h.remove("sys/class/infiniband_verbs", "dev/infiniband/uverbs0"); h.libs.Devices = nil }, want: []string{"problem module.ib_uverbs"}},
		{what: "rdma_ucm unloaded", spoil: func(h *host) { h.remove("sys/class/misc/rdma_cm", "dev/infiniband/rdma_cm") }, want: []string{"problem module.rdma_ucm"}},
		{what: "a container without the files", spoil: func(h *host) { h.remove("dev/infiniband"); h.libs.Devices = nil }, want: []string{"problem file.missing /dev/infiniband/rdma_cm", "problem file.missing /dev/infiniband/uverbs0"}},
		{what: "permission taken", spoil: func(h *host) {
			h.denied["dev/infiniband/uverbs0"] = errDenied
			h.libs.Devices[0].Err = errDenied
		}, want: []string{"problem file.permission /dev/infiniband/uverbs0"}},
	}
}

func libraryTroubles() []trouble {
	return []trouble{
		{what: "no library", spoil: func(h *host) { h.libs = Libraries{Err: errors.New("libibverbs.so.1 cannot be loaded")} }, want: []string{"problem library.missing"}},
		{what: "an old library", spoil: func(h *host) { h.libs = Libraries{Err: errors.New("too old"), Old: true} }, want: []string{"problem library.old"}},
		{what: "an old library without device", spoil: func(h *host) { *h = *bare(); h.libs = Libraries{Err: errors.New("too old"), Old: true} }, want: []string{"note device.none erxe", "note library.old"}},
		{what: "a static program", spoil: func(h *host) { h.libs = Libraries{Omitted: true} }, want: []string{"note library.omitted"}},
		{what: "no provider", spoil: func(h *host) { h.libs.Devices = nil }, want: []string{"problem library.provider rxe0"}},
		{what: "a device that does not open", spoil: func(h *host) { h.libs.Devices[0].Err = errors.New("EIO") }, want: []string{"problem library.device rxe0"}},
	}
}
