# In a guest with the device siw0: the adapter's suite, and the examples.
set -e
./ibv.test -test.timeout 120s
./verbs.test -test.timeout 400s
echo "== quickstart"
./quickstart -adapter siw0 ./perf
echo "== perf"
./perf -path verbs:siw0 -op send -size 64 -n 500
