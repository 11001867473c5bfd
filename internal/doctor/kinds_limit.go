package doctor

var limitKinds = []Kind{
	{"memlock.low", Warning, "little memory may be locked (RLIMIT_MEMLOCK)",
		"devices pin all registered memory and their queues; beyond the limit registering fails. A problem below 1 MiB; the software adapter pins nothing",
		"ulimit -l unlimited; systemd: LimitMEMLOCK=infinity; Docker: --ulimit memlock=-1; logins: \"* - memlock unlimited\" in /etc/security/limits.conf; or the capability IPC_LOCK, outside of user namespaces"},
	{"descriptors.low", Warning, "few descriptors may be open (RLIMIT_NOFILE)",
		"a connection takes 1 over TCP and 3 over shared memory, and a region that other processes can map takes 1",
		"ulimit -n 65536; systemd: LimitNOFILE=65536; Docker: --ulimit nofile=65536"},
	{"mappings.low", Warning, "few mappings are allowed (vm.max_map_count)",
		"shared memory takes 2 mappings per connection end and 1 per region; a Go process without mappings dies",
		"sysctl -w vm.max_map_count=262144"},
	{"cgroup.memory", Warning, "the control group has little memory",
		"registered memory and queues count; beyond the limit the kernel ends the process",
		"systemd: MemoryMax=; Docker: --memory; Kubernetes: resources.limits.memory"},
	{"cgroup.rdma", Warning, "the control group limits RDMA objects",
		"beyond the limit, creating connections, queues and regions fails",
		"raise rdma.max of the group of OBJECT"},
	{"cgroup.cpu", Warning, "the control group has a processor quota below the number of processors",
		"a program that polls uses the quota up and is stopped for the rest of each period, typically 100 ms",
		"raise or remove the quota (systemd: CPUQuota=; Docker: --cpus; Kubernetes: resources.limits.cpu), or do not poll"},
}

var sharingKinds = []Kind{
	{"proc.missing", Warning, "/proc is not mounted, or cannot be read",
		"shared memory between processes needs it (soft uses TCP instead), and the doctor sees less",
		"mount -t proc proc /proc"},
	{"ptrace.scope", Note, "the kernel restricts access to other processes (kernel.yama.ptrace_scope)",
		"shared memory works; slices that a program registers itself are copied by the peer's side, which is slower",
		"sysctl -w kernel.yama.ptrace_scope=0, if the host's users trust each other"},
	{"seccomp.filter", Note, "a seccomp filter is active (containers, services)",
		"it may deny memfd_create, eventfd or process_vm_readv, which shared memory uses; the self-test shows whether it does",
		"nothing to do if the self-test of shared memory passes; otherwise allow these calls in the profile"},
	{"userns.overflow", Warning, "this user is not mapped in the user namespace",
		"all users that are not mapped share one number, so the software adapter does not share memory and uses TCP",
		"map the user in /etc/subuid and /etc/subgid, or run as a mapped user"},
}
