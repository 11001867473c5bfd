# In a guest with the device rxe0: what keeps RDMA from working is made to happen, one after the
# other, and godapl doctor names it, and nothing else.
set -e
echo 'user:x:1000:1000::/:/bin/sh' >>/etc/passwd
address=$(ip -4 addr show erxe | sed -n 's/.*inet \([0-9./]*\).*/\1/p')
files='/dev/infiniband/uverbs0 /dev/infiniband/rdma_cm'
failed=0

# provoked WHAT DO UNDO WHO PROBLEMS [FLAG...]: after the command DO the doctor, run by root or
# user (user64 is one with 64 KiB of locked memory), finds exactly these problems; then UNDO.
provoked() {
	what=$1 undo=$3 who=$4 want=$5
	echo "== doctor: $what"
	eval "$2"
	shift 5
	case $who in
	root) ./godapl doctor -q "$@" >report 2>&1 || true ;;
	user) su user -s /bin/sh -c "./godapl doctor -q $*" >report 2>&1 || true ;;
	user64) su user -s /bin/sh -c "ulimit -l 64; ./godapl doctor -q $*" >report 2>&1 || true ;;
	esac
	got=$(sed -n 's/^problem *\([a-z0-9_.]*\).*/\1/p' report | sort -u | xargs)
	if [ "$got" != "$want" ] || ! grep -q '^h1: ' report; then
		echo "the problems are \"$got\", want \"$want\":"
		cat report
		failed=1
	fi
	eval "$undo"
}

provoked "nothing" : : root ""
provoked "nothing, as a user" : : user ""
provoked "64 KiB of locked memory" : : user64 "memlock.low"
provoked "no permission" "chmod 600 $files" "chmod 666 $files" user "file.permission test.device"
provoked "a file that is missing" "mv /dev/infiniband/rdma_cm /tmp" "mv /tmp/rdma_cm /dev/infiniband" root "file.missing test.device"
provoked "a device that is required" : : root "device.required" -device mlx5_0
provoked "an interface that is down" "ip link set erxe down" "ip link set erxe up" root "interface.down test.device"
provoked "link-local GIDs only" "ip addr flush dev erxe scope global" "ip addr add $address dev erxe" root "gid.link_local"
provoked "nothing any more" : : root ""
# The guest cannot load modules again.
provoked "a module that is not loaded" "rmmod rdma_ucm" : root "module.rdma_ucm test.device"
provoked "no device" "rdma link delete rxe0" : root "device.required" -device any
exit $failed
