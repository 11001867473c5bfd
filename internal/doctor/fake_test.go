package doctor

import (
	"io/fs"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing/fstest"
)

// A host is a machine of files, which tests break.
type host struct {
	files  map[string]string // a value "-> x" is a symbolic link, "/" an empty folder
	denied map[string]error
	Source
	ifs  []Interface
	libs Libraries
}

const (
	device = "sys/class/infiniband/rxe0/"
	port   = device + "ports/1/"
	gid4   = "0000:0000:0000:0000:0000:ffff:0a4d:0101" // 10.77.1.1
)

// healthy is a host with a RoCE device, of which nothing is to be found.
func healthy() *host {
	h := &host{
		files: map[string]string{
			device + "node_type": "1: CA", device + "parent": "erxe",
			port + "state": "4: ACTIVE", port + "phys_state": "5: LinkUp", port + "link_layer": "Ethernet", port + "rate": "100 Gb/sec (4X EDR)",
			port + "gids/0": "fe80:0000:0000:0000:1234:56ff:fe78:9abc", port + "gid_attrs/types/0": "RoCE v2", port + "gid_attrs/ndevs/0": "erxe",
			port + "gids/1": gid4, port + "gid_attrs/types/1": "RoCE v2", port + "gid_attrs/ndevs/1": "erxe",
			"sys/class/infiniband_verbs/uverbs0/ibdev":                        "rxe0",
			"sys/class/misc/rdma_cm/dev":                                      "10:58",
			"dev/infiniband/uverbs0":                                          "",
			"dev/infiniband/rdma_cm":                                          "",
			"sys/bus/pci/devices/0000:01:00.0/class":                          "0x020000",
			"sys/bus/pci/devices/0000:01:00.0/driver":                         "-> ../../../bus/pci/drivers/virtio-pci",
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "performance",
			"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
			"sys/fs/cgroup/a/b/memory.max":                                    "max",
			"sys/fs/cgroup/a/b/cpu.max":                                       "max 100000",
			"sys/fs/cgroup/a/memory.max":                                      "17179869184",
			"sys/fs/cgroup/a/rdma.max":                                        "rxe0 hca_handle=max hca_object=max",
			"proc/self/cgroup":                                                "0::/a/b",
			"proc/self/status":                                                "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nSeccomp:\t0\nCpus_allowed_list:\t0-3,8",
			"proc/self/uid_map":                                               "         0          0 4294967295",
			"proc/self/limits":                                                "Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 524288               files\nMax locked memory         unlimited            unlimited            bytes",
			"proc/self/maps":                                                  "7f00-7f01 r-xp 0 08:01 1    /usr/lib/libibverbs.so.1.14.44.0\n7f01-7f02 r-xp 0 08:01 1 /usr/lib/libibverbs.so.1.14.44.0\n7f00-7f01 r-xp 0 08:01 1  /usr/lib/librdmacm.so.1.3.44.0",
			"proc/sys/kernel/osrelease":                                       "6.12.1",
			"proc/sys/kernel/overflowuid":                                     "65534",
			"proc/sys/kernel/yama/ptrace_scope":                               "0",
			"proc/sys/vm/max_map_count":                                       "65530",
			"proc/meminfo":                                                    "MemTotal: 1 kB\nHugePages_Total:     512",
		},
		denied: map[string]error{},
		ifs: []Interface{
			{Name: "lo", MTU: 65536, Up: true, Loopback: true, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}},
			{Name: "erxe", MTU: 4200, Up: true, Addresses: []netip.Addr{netip.MustParseAddr("10.77.1.1"), netip.MustParseAddr("fe80::1034:56ff:fe78:9abc")}},
		},
		libs: Libraries{Devices: []LibraryDevice{{Name: "rxe0", Ports: []LibraryPort{{ActiveMTU: 4096, MaxMTU: 4096}}}}},
	}
	h.OS, h.Arch, h.Host = "linux", "amd64", "h1"
	return h
}

// bare is a host without RDMA devices, modules and libraries.
func bare() *host {
	h := healthy()
	h.remove("sys/class", "dev/infiniband")
	h.libs = Libraries{Err: fs.ErrNotExist}
	return h
}

// remove takes files and folders away.
func (h *host) remove(names ...string) {
	maps.DeleteFunc(h.files, func(file, _ string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return file == n || strings.HasPrefix(file, n+"/") })
	})
}

// replace replaces a part of a file, which must be there.
func (h *host) replace(file, from, to string) {
	if !strings.Contains(h.files[file], from) {
		panic(file + " does not have " + from)
	}
	h.files[file] = strings.Replace(h.files[file], from, to, 1)
}

func (h *host) source() Source {
	root := fstest.MapFS{}
	for name, text := range h.files {
		f := &fstest.MapFile{Data: []byte(text + "\n")}
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			f = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
		}
		if text == "/" {
			f = &fstest.MapFile{Mode: fs.ModeDir}
		}
		root[name] = f
	}
	s := h.Source
	s.Root = root
	s.Open = func(path string) error { return h.denied[path] }
	s.Interfaces = func() []Interface { return h.ifs }
	s.Libraries = func() Libraries { return h.libs }
	return s
}
