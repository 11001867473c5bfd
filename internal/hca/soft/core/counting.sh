#!/bin/sh
# counting.sh: how many more instructions the 8-byte figures take because of the counters.
#
# It builds the benchmarks of package rdma twice, with the counters and, by an overlay, without; valgrind counts the
# instructions of each at two lengths, and the difference is that of the operations alone. Run it in the root of the
# module.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
core=$PWD/internal/hca/soft/core

# without FILE SED...: a copy without its counters.
without() {
	file=$1
	shift
	sed "$@" "$core/$file" >"$dir/$file"
	if cmp -s "$core/$file" "$dir/$file"; then
		echo "$file has no such counters any more" >&2
		exit 1
	fi
	overlay="${overlay:+$overlay,}\"$core/$file\":\"$dir/$file\""
}
overlay=
without stats.go -e 's/^\tc\.N++$/\t_ = c/' -e '/^\tc\.Bytes += n$/d' -e 's/{ q\.sent\.stalls\.End() }/{}/'
without cq_stats.go -e 's/{ gate\.StoreRelease(w, w\.Load()+n) }/{ _ = gate.StoreRelease }/'
without cq_ring.go -e 's/^\tif t-h > c\.counts\.high\.Load() {$/\tif false {/'
without sendq.go -e '/^\ts\.High = max(s\.High, s\.Tail-s\.Head)$/d'
echo "{\"Replace\":{$overlay}}" >"$dir/overlay.json"
go test -c -o "$dir/with" ./rdma
go test -c -overlay "$dir/overlay.json" -o "$dir/without" ./rdma

# instructions BINARY PROCESSORS BENCHMARK N: the least that the process executes in three runs. Its other goroutines
# spin at times; in the process, one processor avoids that, while shared memory needs two.
instructions() {
	for _ in 1 2 3; do
		(cd rdma && GOGC=off GOMAXPROCS=$2 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$dir/$1" \
			-test.run '^$' -test.bench "^Benchmark$3" -test.benchtime "$4x" 2>&1) | sed -n 's/.*I *refs: *//p' | tr -d ,
	done | sort -n | head -n 1
}

while read -r processors few many bench; do
	for binary in with without; do
		a=$(instructions $binary "$processors" "$bench" "$few")
		b=$(instructions $binary "$processors" "$bench" "$many")
		echo "$bench $binary $(((b - a) * 10 / (many - few)))"
	done
done <<'END' | awk '{ n[$2] = $3 / 10 }
	$2 == "without" { printf "%-18s %6.1f instructions with, %6.1f without: %+.1f %%\n", $1, n["with"], n[$2], 100 * (n["with"] / n[$2] - 1) }'
1 50000 450000 Write8$/^depth1$
1 50000 450000 Write8$/^depth16$
2 50000 450000 ShmWrite8$
1 5000 65000 TCPWrite8$
END
