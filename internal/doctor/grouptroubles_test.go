package doctor

// groupTroubles are those of control groups that need more than a limit: which limit counts, and where groups are.
func groupTroubles() []trouble {
	const small, memory = "134217728", "36 30 0:31 / /sys/fs/cgroup/memory rw shared:12 - cgroup cgroup rw,memory"
	return []trouble{
		{what: "just enough memory", spoil: func(h *host) { h.files["sys/fs/cgroup/a/memory.max"] = "268435456" }},
		{what: "just too little memory", spoil: func(h *host) { h.files["sys/fs/cgroup/a/memory.max"] = "268435455" }, want: []string{"warning cgroup.memory"}},
		{what: "a quota in the group, and a larger one above", spoil: func(h *host) {
			h.files["sys/fs/cgroup/a/b/cpu.max"], h.files["sys/fs/cgroup/a/cpu.max"] = "50000 100000", "900000 100000"
		}, want: []string{"warning cgroup.cpu"}},
		{what: "a quota above, and a larger one in the group", spoil: func(h *host) {
			h.files["sys/fs/cgroup/a/b/cpu.max"], h.files["sys/fs/cgroup/a/cpu.max"] = "900000 100000", "50000 100000"
		}, want: []string{"warning cgroup.cpu"}},
		{what: "a quota of no time", spoil: func(h *host) { h.files["sys/fs/cgroup/a/b/cpu.max"] = "50000 0" }},
		{what: "two limits of RDMA objects", spoil: func(h *host) { h.files["sys/fs/cgroup/a/rdma.max"] = "rxe0 hca_handle=2 hca_object=3" }, want: []string{"warning cgroup.rdma rxe0"}},
		{what: "lines that are not understood", spoil: func(h *host) {
			version1(h)
			h.files["proc/self/cgroup"] = "nonsense\n\n4:memory\n" + h.files["proc/self/cgroup"]
			h.files["proc/self/mountinfo"] = "- cgroup cgroup rw,memory\n36 30 0:31 / /x rw -\n36 30 - cgroup cgroup rw,memory\n\n" + h.files["proc/self/mountinfo"]
			h.files["sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = small
		}, want: []string{"warning cgroup.memory"}},
		{what: "two controllers in one hierarchy, mounted elsewhere", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/mountinfo", "/sys/fs/cgroup/cpu,cpuacct", "/cpus")
			h.files["cpus/a/b/cpu.cfs_quota_us"], h.files["cpus/a/b/cpu.cfs_period_us"] = "50000", "100000"
		}, want: []string{"warning cgroup.cpu"}},
		{what: "another file system with the option of a controller", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/mountinfo", memory, "35 30 0:9 / /other rw - tmpfs tmpfs rw,memory\n"+memory)
			h.files["sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = small
		}, want: []string{"warning cgroup.memory"}},
		{what: "a group below that of a container", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/cgroup", "memory:/a/b", "memory:/a/b/c")
			h.replace("proc/self/mountinfo", "0:31 / ", "0:31 /a/b ")
			h.files["sys/fs/cgroup/memory/c/memory.limit_in_bytes"] = small
		}, want: []string{"warning cgroup.memory"}},
		{what: "a group whose name begins like that of a container", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/cgroup", "memory:/a/b", "memory:/a/bc")
			h.replace("proc/self/mountinfo", "0:31 / ", "0:31 /a/b ")
			h.files["sys/fs/cgroup/memory/c/memory.limit_in_bytes"] = small // of a neighbour
		}},
		{what: "a group that the mount does not show", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/mountinfo", "0:31 / ", "0:31 /z ")
			h.files["sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = small // of a neighbour
		}},
		{what: "a hierarchy that is mounted as the root", spoil: func(h *host) {
			version1(h)
			h.replace("proc/self/mountinfo", "/sys/fs/cgroup/memory", "/")
			h.files["a/memory.limit_in_bytes"] = small
		}, want: []string{"warning cgroup.memory"}},
	}
}
