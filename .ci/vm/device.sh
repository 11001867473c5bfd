# In a guest with the device rxe0 or siw0: the adapter's suite, the tests of the
# packages above it, the examples, and uDAPL's programs of C.
set -e
. ./again.sh
export RDMA_DEVICES=${RDMA_VM_DEV}0
address=$RDMA_VM_RXE_ADDR
[ "$RDMA_VM_DEV" = rxe ] || address=$RDMA_VM_SIW_ADDR
# Some things need a guest with a device, and are the same with each of them: here are those that take long.
case $RDMA_VM_DEV in
rxe) ibv= dat=TestEveryCallInEveryState ;;
*) ibv='TestFramesBesideTheRuntime|TestArrayConcurrent' dat=TestEveryReturn ;;
esac
again ./ibv.test -test.timeout 120s -test.skip "^($ibv)\$"
# siw ends an attempt ten seconds after the program has given it up. Tests that wait for that most of their
# time run beside the suite.
idle_rdma= idle_dat= idle_vipl=
idle() {
	mkdir -p idle # again writes files
	cp again.sh slow.sh idle
	cd idle
	again ../rdma.test -test.timeout 300s -test.run "^($idle_rdma)\$"
	again ../dat.test -test.timeout 300s -test.run "^($idle_dat)\$"
	again ../vipl.test -test.timeout 300s -test.run "^($idle_vipl)\$"
}
if [ "$RDMA_VM_DEV" = siw ]; then
	idle_rdma='TestConnectAsyncEnds|TestFailedConnects|TestAcceptOfAPeerThatLeft'
	idle_dat='TestEveryTransition|TestEveryCallInEveryState' idle_vipl='TestDisconnectEndsAnAttempt|TestConnectTimeouts'
	(idle) >idle.log 2>&1 &
fi
again ./verbs.test -test.timeout 900s
if [ "$RDMA_VM_DEV" = siw ]; then
	echo "== what waits"
	wait $! || { cat idle.log && exit 1; }
	cat idle.log
fi
# Examples, the tests that read sources, and what runs on software paths have nothing to do with the device. One
# test takes a minute and a half there; the suite has its like. Subtests have the names of paths; a pattern with a
# slash has to be the last one.
soft='./^soft'
echo "== rdma"
again ./rdma.test -test.timeout 600s -test.skip "Example|TestEveryPostCompletesOnce|TestNilArguments|TestGoldenRefusals|^($idle_rdma)\$|$soft"
echo "== dat"
again ./dat.test -test.timeout 600s -test.skip "Example|Fuzz|TestConstant|TestEveryConstant|TestCalls|TestMembers|TestGuide|TestNilArguments|TestADispatcherThatLostErrorsStaysUnwaitable|$dat|^($idle_dat)\$|$soft"
echo "== vipl"
again ./vipl.test -test.timeout 600s -test.skip "Example|Fuzz|TestConstants|TestCalls\$|TestTableOfCalls|^($idle_vipl)\$|$soft"
echo "== quickstart"
./quickstart -adapter "$RDMA_DEVICES" ./quickstart
echo "== perf"
./godapl perf -path "verbs:$RDMA_DEVICES" -op send -size 64 -n 500
[ "$RDMA_VM_DEV" = siw ] || ./godapl perf -path "verbs:$RDMA_DEVICES" -op fadd -size 8 -n 200 -mode wait
# Debian's programs take longer than all of this, and now and then one waits for ever
# there: see docs/provider.md.
echo "== a program of C"
if [ ! -e stock.test ]; then
	echo "ok: skipped: the library could not be built, it needs gcc"
elif ! command -v dapltest >/dev/null; then
	echo "ok: skipped: dapl2-utils is not in the virtual machine"
else
	cp libdaplgo.so calls sleepers /tmp
	export PATH=$PWD:$PATH GODAPL_STOCK_LIBRARY=/tmp/libdaplgo.so GODAPL_STOCK_PATH="$RDMA_DEVICES $address"
	again ./stock.test -test.timeout 400s -test.short -test.run "Test(Calls|Sleepers)/$RDMA_DEVICES"
fi
