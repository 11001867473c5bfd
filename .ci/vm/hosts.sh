# In each of two guests, joined by two links: the examples between them, memory that is used again while it is on its
# way, and the doctor of one asks that of the other.
set -e
cp godapl quickstart interop.test /tmp # in memory: to start them from the folder of the host takes seconds
for dev in rxe:1 siw:2; do
	net=${dev#*:}
	dev=${dev%:*}0
	echo "== $dev"
	if [ "$RDMA_VM_HOST" = 1 ]; then
		/tmp/quickstart -adapter "$dev" -listen "10.77.$net.1:7471" >"q$dev" 2>&1 &
		/tmp/godapl perf -path "verbs:$dev" -serve ":747$net" >"p$dev" 2>&1 &
		until rdma res show cm_id | grep -q LISTEN; do sleep 0.1; done
		[ "$dev" != siw0 ] || GODAPL_INTEROP_SERVE="$dev 10.77.$net.1:7500" /tmp/interop.test &
		barrier "listening$net"
		wait
		barrier "done$net"
		cat "q$dev"
		grep -q "the same on both sides" "q$dev"
	else
		barrier "listening$net"
		/tmp/quickstart -adapter "$dev" -connect "10.77.$net.1:7471" ./quickstart
		/tmp/godapl perf -path "verbs:$dev" -peer "10.77.$net.1:747$net" -op send -size 64 -n 300
		[ "$dev" != siw0 ] || GODAPL_INTEROP_WITH="$dev 10.77.$net.1:7500" /tmp/interop.test -test.run TestMemoryIsFreeAgain
		barrier "done$net"
	fi
done

# asked WHAT FINDINGS: the doctor of this guest finds exactly these with the other one: problems by their names,
# others as level:name. Both have more in common.
asked() {
	echo "== doctor: $1"
	/tmp/godapl doctor -q -notest -peer 10.77.1.1 >report 2>&1 || true
	got=$(sed -n 's/^\(problem\|warning\|note\) *\([a-z0-9_.]*\).*/\1:\2/p' report | grep -vE 'clock.slow|hugepages.none|mtu.small' | sed 's/^problem://' | sort -u | xargs)
	if [ "$got" != "$2" ] || ! grep -q '^h1: ' report || ! grep -q '^Works: soft-tcp with soft-tcp of h1, rxe0 with rxe0 of h1, siw0 with siw0 of h1' report; then
		echo "the findings are \"$got\", want \"$2\":"
		cat report
		failed=1
	fi
}
failed=0
if [ "$RDMA_VM_HOST" = 1 ]; then
	/tmp/godapl doctor -q -serve :7175 >served 2>&1 &
	until grep -q waiting served; do sleep 0.1; done
	barrier serving
	barrier asked
	kill -INT $!
	wait $!
	if [ "$(grep -c '^Works: .*rxe0 with rxe0 of h1' served)" != 2 ]; then
		cat served
		failed=1
	fi
else
	barrier serving
	asked "both hosts" ""
	ip link set erxe mtu 1100
	asked "another MTU on one host" "warning:peer.mtu"
	barrier asked
fi
exit $failed
