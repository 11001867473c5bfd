package doctor

import "net/netip"

func portTroubles() []trouble {
	return []trouble{
		{what: "cable out", spoil: func(h *host) { h.files[port+"state"], h.files[port+"phys_state"] = "1: DOWN", "3: Disabled" }, want: []string{"problem port.down rxe0"}},
		{what: "cable out of one of two", spoil: func(h *host) {
			h.files[device+"ports/2/state"], h.files[device+"ports/2/link_layer"] = "1: DOWN", "Ethernet"
		}, want: []string{"warning port.down rxe0"}},
		{what: "interface down", spoil: func(h *host) { h.ifs[1].Up = false; h.files[port+"state"] = "1: DOWN" }, want: []string{"problem interface.down erxe"}},
		{what: "no subnet manager", spoil: func(h *host) { h.files[port+"state"], h.files[port+"link_layer"] = "2: INIT", "InfiniBand" }, want: []string{"problem port.init rxe0"}},
		{what: "no interface", spoil: func(h *host) { h.ifs = h.ifs[:1] }, want: []string{"warning interface.missing rxe0"}},
		{what: "iWARP without address", spoil: func(h *host) { h.files[device+"node_type"] = "4: RNIC"; h.ifs[1].Addresses = nil }, want: []string{"problem address.missing erxe"}},
		{what: "iWARP", spoil: func(h *host) { h.files[device+"node_type"] = "4: RNIC"; h.remove(port + "gids/1") }},
		{what: "link-local GIDs alone", spoil: func(h *host) { h.ifs[1].Addresses = h.ifs[1].Addresses[1:]; h.remove(port + "gids/1") }, want: []string{"problem gid.link_local erxe"}},
		{what: "no GID for the address", spoil: func(h *host) { h.ifs[1].Addresses[0] = netip.MustParseAddr("10.9.9.9") }, want: []string{"problem gid.missing erxe"}},
		{what: "the GID has the other version", spoil: func(h *host) { h.files[port+"gid_attrs/types/1"] = "IB/RoCE v1" }, want: []string{"problem gid.missing erxe"}},
		{what: "RoCE version 1", spoil: func(h *host) {
			h.files[port+"gid_attrs/types/1"] = "IB/RoCE v1"
			h.files["sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode"] = "IB/RoCE v1"
		}, want: []string{"warning gid.v1 rxe0"}},
		{what: "MTU lowered behind the device", spoil: func(h *host) { h.ifs[1].MTU = 1500 }, want: []string{"problem mtu.mismatch erxe"}},
		{what: "MTU of the network", spoil: func(h *host) { h.ifs[1].MTU = 1500; h.libs.Devices[0].Ports[0].ActiveMTU = 1024 }, want: []string{"note mtu.small erxe"}},
	}
}

func limitTroubles() []trouble { return append(groupTroubles(), plainLimitTroubles()...) }

func plainLimitTroubles() []trouble {
	const limits, memory = "proc/self/limits", "Max locked memory         unlimited"
	return []trouble{
		{what: "memlock of 64 KiB", spoil: func(h *host) { h.replace(limits, memory, "Max locked memory         65536") }, want: []string{"problem memlock.low"}},
		{what: "memlock of 8 MiB", spoil: func(h *host) { h.replace(limits, memory, "Max locked memory         8388608") }, want: []string{"warning memlock.low"}},
		{what: "memlock of 64 KiB, with the capability", spoil: func(h *host) {
			h.replace(limits, memory, "Max locked memory         65536")
			h.replace("proc/self/status", "CapEff:\t0000000000000000", "CapEff:\t0000000000004000")
		}},
		{what: "memlock of 64 KiB, with the capability in a user namespace", spoil: func(h *host) {
			h.replace(limits, memory, "Max locked memory         65536")
			h.replace("proc/self/status", "CapEff:\t0000000000000000", "CapEff:\t0000000000004000")
			h.files["proc/self/uid_map"] = "0 1000 1\n1 100000 65536"
		}, want: []string{"problem memlock.low"}},
		{what: "memlock of 64 KiB, with the capability, no namespaces", spoil: func(h *host) {
			h.replace(limits, memory, "Max locked memory         65536")
			h.replace("proc/self/status", "CapEff:\t0000000000000000", "CapEff:\t0000000000004000")
			h.remove("proc/self/uid_map")
		}},
		{what: "memlock of 64 KiB, no device", spoil: func(h *host) {
			*h = *bare()
			h.replace(limits, memory, "Max locked memory         65536")
		}, want: []string{"note device.none erxe", "note library.missing"}},
		{what: "few descriptors", spoil: func(h *host) { h.replace(limits, "524288", "1024  ") }, want: []string{"warning descriptors.low"}},
		{what: "few mappings", spoil: func(h *host) { h.files["proc/sys/vm/max_map_count"] = "16384" }, want: []string{"warning mappings.low"}},
		{what: "little memory in a group above", spoil: func(h *host) { h.files["sys/fs/cgroup/a/memory.max"] = "134217728" }, want: []string{"warning cgroup.memory"}},
		{what: "few RDMA objects", spoil: func(h *host) { h.files["sys/fs/cgroup/a/rdma.max"] = "rxe0 hca_handle=2 hca_object=max" }, want: []string{"warning cgroup.rdma rxe0"}},
		{what: "half a processor", spoil: func(h *host) { h.files["sys/fs/cgroup/a/b/cpu.max"] = "50000 100000" }, want: []string{"warning cgroup.cpu"}},
		{what: "control groups of version 1", spoil: version1},
		{what: "little memory, version 1", spoil: func(h *host) {
			version1(h)
			h.files["sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = "134217728"
		}, want: []string{"warning cgroup.memory"}},
		{what: "half a processor, version 1", spoil: func(h *host) {
			version1(h)
			h.files["sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us"] = "50000"
		}, want: []string{"warning cgroup.cpu"}},
		{what: "few RDMA objects, version 1", spoil: func(h *host) {
			version1(h)
			h.files["sys/fs/cgroup/rdma/a/rdma.max"] = "rxe0 hca_handle=2 hca_object=max"
		}, want: []string{"warning cgroup.rdma rxe0"}},
		{what: "little memory in the group of a container, version 1", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/mountinfo", "0:31 / /sys/fs/cgroup/memory", "0:31 /a/b /sys/fs/cgroup/memory")
			h.files["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "134217728"
		}, want: []string{"warning cgroup.memory"}},
		{what: "little memory in another group", spoil: func(h *host) {
			version1(h)
			h.files["sys/fs/cgroup/memory/c/memory.limit_in_bytes"] = "134217728"
		}},
		{what: "half a processor, version 1, mounts unknown", spoil: func(h *host) {
			version1(h)
			h.remove("proc/self/mountinfo")
			h.files["sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"], h.files["sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us"] = "50000", "100000"
		}, want: []string{"warning cgroup.cpu"}},
		{what: "version 2 beside version 1", spoil: func(h *host) {
			version1(h)
			h.files["sys/fs/cgroup/unified/u/memory.max"] = "134217728"
		}, want: []string{"warning cgroup.memory"}},
		{what: "a quota of all processors", spoil: func(h *host) { h.files["sys/fs/cgroup/a/b/cpu.max"] = "500000 100000" }},
	}
}

// version1 gives a host control groups of version 1, as systemd mounts them, without limits.
func version1(h *host) {
	h.remove("sys/fs/cgroup")
	h.files["proc/self/cgroup"] = "4:memory:/a/b\n3:cpu,cpuacct:/a/b\n2:rdma:/a\n1:name=systemd:/x\n0::/u"
	h.files["proc/self/mountinfo"] = "30 23 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n" +
		"31 30 0:27 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw\n" +
		"32 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct\n" +
		"36 30 0:31 / /sys/fs/cgroup/memory rw shared:12 - cgroup cgroup rw,memory\n" +
		"37 30 0:32 / /sys/fs/cgroup/rdma rw - cgroup cgroup rw,rdma\n"
	h.files["sys/fs/cgroup/memory/a/b/memory.limit_in_bytes"] = "9223372036854771712"
	h.files["sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us"], h.files["sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us"] = "-1", "100000"
}

func machineTroubles() []trouble {
	const status = "proc/self/status"
	return []trouble{
		{what: "no /proc", spoil: func(h *host) { h.remove("proc") }, want: []string{"warning proc.missing"}},
		{what: "ptrace_scope", spoil: func(h *host) { h.files["proc/sys/kernel/yama/ptrace_scope"] = "1" }, want: []string{"note ptrace.scope"}},
		{what: "ptrace_scope, with the capability", spoil: func(h *host) {
			h.files["proc/sys/kernel/yama/ptrace_scope"] = "2"
			h.replace(status, "CapEff:\t0000000000000000", "CapEff:\t0000000000080000")
		}},
		{what: "ptrace_scope for everybody", spoil: func(h *host) {
			h.files["proc/sys/kernel/yama/ptrace_scope"] = "3"
			h.replace(status, "CapEff:\t0000000000000000", "CapEff:\t0000000000080000")
		}, want: []string{"note ptrace.scope"}},
		{what: "seccomp", spoil: func(h *host) { h.replace(status, "Seccomp:\t0", "Seccomp:\t2") }, want: []string{"note seccomp.filter"}},
		{what: "a user that is not mapped", spoil: func(h *host) {
			h.replace(status, "Uid:\t1000\t1000", "Uid:\t65534\t65534")
			h.files["proc/self/uid_map"] = "0 1000 1"
		}, want: []string{"warning userns.overflow"}},
		{what: "the user nobody, all mapped", spoil: func(h *host) { h.replace(status, "Uid:\t1000\t1000", "Uid:\t65534\t65534") }},
		{what: "one processor", spoil: func(h *host) { h.replace(status, "0-3,8", "2") }, want: []string{"warning cpu.single"}},
		{what: "one processor, no /proc", spoil: func(h *host) { h.remove("proc"); h.Processors = 1 }, want: []string{"warning proc.missing", "warning cpu.single"}},
		{what: "saving power", spoil: func(h *host) {
			h.files["sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"] = "powersave"
		}, want: []string{"note cpu.governor"}},
		{what: "slow clock", spoil: func(h *host) {
			h.files["sys/devices/system/clocksource/clocksource0/current_clocksource"] = "acpi_pm"
		}, want: []string{"warning clock.slow"}},
		{what: "the clock of RISC-V", spoil: func(h *host) {
			h.files["sys/devices/system/clocksource/clocksource0/current_clocksource"] = "riscv_clocksource"
		}},
		{what: "huge pages on demand", spoil: func(h *host) {
			h.replace("proc/meminfo", "512", "0")
			h.files["proc/sys/vm/nr_overcommit_hugepages"] = "64"
		}},
		{what: "no huge pages", spoil: func(h *host) { h.replace("proc/meminfo", "512", "0") }, want: []string{"note hugepages.none"}},
	}
}
