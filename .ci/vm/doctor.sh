# In a guest with the device rxe0: what keeps RDMA from working, or from working well, is made to
# happen, one after the other, and godapl doctor names it, and nothing else.
set -e
# In memory: to start it from the folder of the host takes seconds.
cp godapl diagnose.test /tmp
echo 'user:x:1000:1000::/:/bin/sh' >>/etc/passwd
address=$(ip -4 addr show erxe | sed -n 's/.*inet \([0-9./]*\).*/\1/p')
files='/dev/infiniband/uverbs0 /dev/infiniband/rdma_cm'
port=/sys/class/infiniband/rxe0/ports/1
failed=0

# What a guest has of its own accord. If its clock is a slow one, that is in every report.
clock=warning:clock.slow
[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" != tsc ] || clock=
ip link set erxe mtu 4200
sysctl -q -w vm.nr_hugepages=2

# provoked WHAT DO UNDO HOW FINDINGS [FLAG...]: after the command DO the doctor finds exactly these:
# problems by their names, others as level:name. Then UNDO. HOW is the command that runs the doctor.
provoked() {
	what=$1 undo=$3 how=$4 want=$(printf '%s\n' $5 $clock | sort | xargs)
	echo "== doctor: $what"
	eval "$2"
	shift 5
	$how /tmp/godapl doctor -q "$@" >report 2>&1 || true
	got=$(sed -n 's/^\(problem\|warning\|note\) *\([a-z0-9_.]*\).*/\1:\2/p' report | sed 's/^problem://' | sort -u | xargs)
	if [ "$got" != "$want" ] || ! grep -q '^h1: ' report; then
		echo "the findings are \"$got\", want \"$want\":"
		cat report
		failed=1
	fi
	eval "$undo"
}

# How the doctor is run.
root() { "$@"; }
user() { su user -s /bin/sh -c "$*"; }
few() { user "ulimit -l 64; ulimit -n 1024; $*"; } # 64 KiB of locked memory, and few descriptors
unmapped() { user "unshare -U $*"; }
elsewhere() { unshare -n "$@"; }
procless() { unshare -m sh -c "umount /proc && $*"; }
single() { taskset 1 "$@"; }
copyless() { GODAPL_DOCTOR_DENIED="process_vm_readv process_vm_writev" /tmp/diagnose.test "$@"; }
fileless() { GODAPL_DOCTOR_DENIED=memfd_create /tmp/diagnose.test "$@"; }
# grouped runs it in the control groups named "g".
grouped() { sh -c 'for group in $(find /sys/fs/cgroup -type d -name g); do echo $$ >"$group/cgroup.procs"; done; exec "$@"' sh "$@"; }

# shows FILE TEXT makes a file of the kernel show something else, hides FOLDER makes a folder empty.
shows() { echo "$2" >/tmp/shown && cp /tmp/shown "/tmp/shown.${1##*/}" && mount --bind "/tmp/shown.${1##*/}" "$1"; }
hides() { mount -t tmpfs none "$1"; }

# Control groups of version 2, and of version 1 where systemd mounts them. Newer kernels have no limits of
# memory in version 1. The kernel breaks when a device is deleted for which a deleted group had a limit.
unlimited() { echo "rxe0 hca_handle=max hca_object=max" >"$1/rdma.max" && rmdir "$1"; }
groups2() {
	mount -t cgroup2 none /sys/fs/cgroup
	echo "+cpu +memory +rdma" >/sys/fs/cgroup/cgroup.subtree_control
	mkdir /sys/fs/cgroup/g
	echo "50000 100000" >/sys/fs/cgroup/g/cpu.max
	echo 200M >/sys/fs/cgroup/g/memory.max
	echo "rxe0 hca_handle=10 hca_object=1000" >/sys/fs/cgroup/g/rdma.max
}
nogroups2() {
	unlimited /sys/fs/cgroup/g
	echo "-cpu -memory -rdma" >/sys/fs/cgroup/cgroup.subtree_control # otherwise version 1 does not get them
	umount /sys/fs/cgroup
}
groups1() {
	mount -t tmpfs none /sys/fs/cgroup
	mkdir /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup/rdma
	mount -t cgroup -o cpu,cpuacct none /sys/fs/cgroup/cpu,cpuacct
	mount -t cgroup -o rdma none /sys/fs/cgroup/rdma
	mkdir /sys/fs/cgroup/cpu,cpuacct/g /sys/fs/cgroup/rdma/g
	echo 50000 >/sys/fs/cgroup/cpu,cpuacct/g/cpu.cfs_quota_us
	echo "rxe0 hca_handle=10 hca_object=1000" >/sys/fs/cgroup/rdma/g/rdma.max
}
nogroups1() {
	unlimited /sys/fs/cgroup/rdma/g
	rmdir /sys/fs/cgroup/cpu,cpuacct/g
	umount /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup/rdma /sys/fs/cgroup
}

provoked "nothing" : : root ""
provoked "nothing, as a user" : : user ""

# Devices, files and libraries.
provoked "a device that is required" : : root "device.required" -notest -device mlx5_0
provoked "no permission" "chmod 600 $files" "chmod 666 $files" user "file.permission test.device"
provoked "a file that is missing" "mv /dev/infiniband/rdma_cm /tmp" "mv /tmp/rdma_cm /dev/infiniband" root "file.missing test.device"
library=$(echo /usr/lib/*/librdmacm.so.1)
provoked "a library that is missing" "shows $library ''" "umount $library" root "library.missing" -notest
provoked "a library without the device's kind" "hides /etc/libibverbs.d" "umount /etc/libibverbs.d" root "library.provider" -notest

# Ports, addresses and MTUs.
provoked "an interface that is down" "ip link set erxe down" "ip link set erxe up" root "interface.down test.device"
provoked "a cable that is out" "ip link set erxe-peer down" "ip link set erxe-peer up" root "port.down" -notest
provoked "another network namespace" : : elsewhere "warning:interface.missing" -notest
provoked "link-local GIDs only" "ip addr flush dev erxe scope global" "ip addr add $address dev erxe" root "gid.link_local" -notest
provoked "an MTU that the interface does not carry" "ip link set erxe mtu 300" "ip link set erxe mtu 4200" root "mtu.mismatch" -notest
provoked "a small MTU" "ip link set erxe mtu 1500" "ip link set erxe mtu 4200" root "note:mtu.small" -notest
# rxe has RoCE version 2 only, and a GID for each address. The files are made to show what those of
# a card show that is configured wrongly.
provoked "a GID of another version" "shows $port/gid_attrs/types/1 'IB/RoCE v1'" : root "gid.missing" -notest
provoked "RoCE version 1" "hides /sys/kernel/config; mkdir -p /sys/kernel/config/rdma_cm/rxe0/ports/1; echo 'IB/RoCE v1' >/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode" \
	"umount /sys/kernel/config $port/gid_attrs/types/1" root "warning:gid.v1" -notest

# Limits.
provoked "little memory to lock, few descriptors" : : few "memlock.low warning:descriptors.low" -notest
provoked "few mappings" "sysctl -q -w vm.max_map_count=16384" "sysctl -q -w vm.max_map_count=65530" root "warning:mappings.low" -notest
provoked "no huge pages" "sysctl -q -w vm.nr_hugepages=0" "sysctl -q -w vm.nr_hugepages=2" root "note:hugepages.none" -notest
provoked "one processor" : : single "warning:cpu.single" -notest
provoked "control groups" groups2 nogroups2 grouped "warning:cgroup.cpu warning:cgroup.memory warning:cgroup.rdma" -notest
provoked "control groups of version 1" groups1 nogroups1 grouped "warning:cgroup.cpu warning:cgroup.rdma" -notest

# What processes need that share memory.
provoked "processes that cannot access each other" "sysctl -q -w kernel.yama.ptrace_scope=1" "sysctl -q -w kernel.yama.ptrace_scope=0" user "note:ptrace.scope"
provoked "a filter of system calls, with which shared memory works" : : copyless "note:seccomp.filter"
provoked "a filter of system calls, with which it does not" : : fileless "note:seccomp.filter test.shm"
provoked "a user that is not mapped" : : unmapped "test.shm warning:userns.overflow"
provoked "no /proc" : : procless "warning:proc.missing" -notest

provoked "no other host" : : root "peer.unreachable" -notest -peer 127.0.0.1:1
provoked "no loopback interface" "ip link set lo down" "ip link set lo up" root "test.tcp"
provoked "nothing any more" : : root ""
# The guest cannot load modules again.
provoked "a module that is not loaded" "rmmod rdma_ucm" : root "module.rdma_ucm test.device"
provoked "no device" "rdma link delete rxe0" : root "device.required note:device.none" -notest -device any
exit $failed
