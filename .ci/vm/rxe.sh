# In a guest with the device rxe0: the adapter's suite, the tests of the packages
# above it, and the examples.
set -e
./ibv.test -test.timeout 120s
./verbs.test -test.timeout 400s
# Examples and the tests that read sources have nothing to do with the device. One
# test takes a minute and a half there; the suite has its like.
export RDMA_DEVICES=rxe0
echo "== rdma"
./rdma.test -test.timeout 120s -test.skip 'Example|TestEveryPostCompletesOnce'
echo "== dat"
# TestEveryReturn leaves an adapter open there.
./dat.test -test.timeout 120s -test.skip 'TestEveryReturn|Example|TestConstant|TestCalls|TestMembers|TestGuide'
echo "== quickstart"
./quickstart -adapter rxe0 ./perf
echo "== perf"
./perf -path verbs:rxe0 -op send -size 64 -n 500
./perf -path verbs:rxe0 -op fadd -size 8 -n 200 -mode wait
