# In a guest with the device rxe0: the adapter's suite, and the examples.
set -e
./ibv.test -test.timeout 120s
./verbs.test -test.timeout 400s
echo "== quickstart"
./quickstart -adapter rxe0 ./perf
echo "== perf"
./perf -path verbs:rxe0 -op send -size 64 -n 500
./perf -path verbs:rxe0 -op fadd -size 8 -n 200 -mode wait
