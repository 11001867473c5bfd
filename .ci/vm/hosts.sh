# In each of two guests, joined by two links: the examples between them.
set -e
for dev in rxe:1 siw:2; do
	net=${dev#*:}
	dev=${dev%:*}0
	echo "== $dev"
	if [ "$RDMA_VM_HOST" = 1 ]; then
		./quickstart -adapter "$dev" -listen "10.77.$net.1:7471" >"q$dev" 2>&1 &
		./godapl perf -path "verbs:$dev" -serve ":747$net" >"p$dev" 2>&1 &
		until rdma res show cm_id | grep -q LISTEN; do sleep 0.1; done
		barrier "listening$net"
		wait
		barrier "done$net"
		cat "q$dev"
		grep -q "the same on both sides" "q$dev"
	else
		barrier "listening$net"
		./quickstart -adapter "$dev" -connect "10.77.$net.1:7471" ./quickstart
		./godapl perf -path "verbs:$dev" -peer "10.77.$net.1:747$net" -op send -size 64 -n 300
		barrier "done$net"
	fi
done
