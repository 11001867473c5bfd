#!/bin/sh
# Makes default.pgo anew, the profile that `go build` takes for this program: what godapl perf
# does mostly, for a few seconds each. It takes two minutes, and wants the machine for itself.
set -e
cd "$(dirname "$0")"
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
go build -trimpath -pgo=off -o "$t/godapl" .
n=0
while read -r what; do
	n=$((n + 1))
	# shellcheck disable=SC2086 # several arguments
	"$t/godapl" perf $what -duration 3s -cpuprofile "$t/$n.prof"
done <<END
-path shm -op write -size 8 -only latency
-path shm -op write -size 8 -depth 64 -only rate
-path shm -op send -size 64
-path shm -op send -size 64 -depth 64 -only rate
-path shm -op send -size 64 -mode wait -only latency
-path tcp -op send -size 64 -only latency
-path tcp -op send -size 64 -depth 64 -only rate
-path tcp -op send -size 64 -mode wait -only latency
-path tcp -op write -size 1048576 -depth 4 -only rate
-path loop -op write -size 8 -depth 16 -only rate
-path tcp -op send -size 64 -connections 100 -depth 8 -mode chan
-path tcp -op send -size 64 -connections 100 -depth 8 -mode set
-path shm -op send -size 64 -connections 100 -depth 8 -mode chan
-path shm -op send -size 64 -connections 100 -depth 8 -mode set
END
go tool pprof -proto "$t"/*.prof* >default.pgo
