#!/bin/sh
# Compares two versions of godapl perf in turns, and the first with a copy of itself, which shows the noise:
#
#     cmd/godapl/compare.sh './old perf' './new perf' [ROUNDS [DURATION [PATHS]]]
#
# Each row is a cell: the ratio of the times, new divided by old, taken within each round: the median with the
# quartiles, and the same of old by old. "miss" marks a cell whose median is above 1.03 and above the upper quartile
# of old by old. The last rows are the geometric means of the medians of each path. It wants the machine for itself.
set -e
old=$1 new=$2 rounds=${3:-7} duration=${4:-150ms} paths=${5:-loop shm tcp}
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cat >"$t/cells" <<END
write 8 latency -op write -size 8 -only latency
write 8 rate -op write -size 8 -depth 16 -only rate
send 64 latency -op send -size 64 -only latency
send 64 rate -op send -size 64 -depth 16 -only rate
send 64 latency,waiting -op send -size 64 -mode wait -only latency
send 64 rate,waiting -op send -size 64 -depth 16 -mode wait -only rate
write 65536 rate -op write -size 65536 -depth 4 -only rate
write 1048576 rate -op write -size 1048576 -depth 4 -only rate
END
# time prints the nanoseconds of an operation: the median latency, or what the rate comes to.
time_of() {
	# shellcheck disable=SC2086 # several arguments
	$1 -path "$2" $3 -duration "$duration" -json | tr ',{}' '\n' | awk -F: -v kind="$4" '
		$1 == "\"lat_p50_ns\"" && kind ~ /^latency/ { print $2 }
		$1 == "\"ops_per_s\"" && kind ~ /^rate/ { print 1e9 / $2 }'
}
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	for path in $paths; do
		while read -r op size kind args; do
			a=$(time_of "$old" "$path" "$args" "$kind")
			b=$(time_of "$new" "$path" "$args" "$kind")
			c=$(time_of "$old" "$path" "$args" "$kind")
			echo "$path $op $size $kind $a $b $c"
		done <"$t/cells"
	done
done >"$t/all"
awk '
	function quantile(x, n, q,    i, low) { i = 1 + (n - 1) * q; low = int(i); return x[low] + (i - low) * (x[low < n ? low + 1 : low] - x[low]) }
	function sorted(list, x,    n, i, j, v) {
		n = split(list, x, " ")
		for (i = 2; i <= n; i++) { v = x[i] + 0; for (j = i - 1; j > 0 && x[j] + 0 > v; j--) x[j + 1] = x[j]; x[j + 1] = v }
		return n
	}
	{
		cell = $1 " " $2 " " $3 " " $4
		if (!(cell in ratio)) { order[++cells] = cell; path[cell] = $1; if (!($1 in seen)) { seen[$1] = 1; names[++paths] = $1 } }
		# Old was measured before and behind new.
		ratio[cell] = ratio[cell] " " $6 / (($5 + $7) / 2)
		noise[cell] = noise[cell] " " $7 / $5
		time[cell] = time[cell] " " $6
	}
	END {
		printf "%-34s %10s  %6s %-14s  %6s %-14s\n", "cell", "new, ns", "ratio", "quartiles", "noise", "quartiles"
		for (i = 1; i <= cells; i++) {
			cell = order[i]
			n = sorted(time[cell], x); at = quantile(x, n, 0.5)
			n = sorted(ratio[cell], x); m = quantile(x, n, 0.5); low = quantile(x, n, 0.25); high = quantile(x, n, 0.75)
			n = sorted(noise[cell], x); nm = quantile(x, n, 0.5); nl = quantile(x, n, 0.25); nh = quantile(x, n, 0.75)
			printf "%-34s %10.1f  %6.3f %.3f to %.3f  %6.3f %.3f to %.3f %s\n", cell, at, m, low, high, nm, nl, nh, (m > 1.03 && m > nh) ? "miss" : ""
			sum[path[cell]] += log(m); count[path[cell]]++
		}
		for (i = 1; i <= paths; i++) printf "%-34s %10s  %6.3f\n", names[i] ", geometric mean", "", exp(sum[names[i]] / count[names[i]])
	}' "$t/all"
