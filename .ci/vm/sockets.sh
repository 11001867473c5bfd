# In a guest with the devices rxe0 and siw0: mailboxes, and sockets over RDMA between two Go programs and with
# programs of C: the device's adapter with the device, and the software adapter with siw.
set -e
. ./again.sh
export RDMA_DEVICES="rxe0 siw0" PATH=$PWD/bin:$PATH LD_LIBRARY_PATH=$PWD/lib
echo "== net.Conn"
again ./rsocket.test -test.timeout 300s -test.run 'TestConn|TestBadPeers|TestHalfClose|TestCloseWrite|TestBothEnds|TestAborted|BeforeThePeer|TestUnknownControls'
echo "== mailboxes"
again ./mailbox.test -test.short -test.timeout 300s \
	-test.run 'TestManySenders|TestFlood|TestSenderBeyond|TestDrive|TestKilled|TestIntakeGrows|TestSendersTakeTurns|TestSendersShare|TestMaxLarge|TestAsks|TestPending'
echo "== programs of C"
status=0
again ./peers.test -test.v -test.short -test.timeout 400s >peers.log 2>&1 || status=$?
grep UNSTEADY peers.log || true
# Why tests were skipped; the half that another world runs is left out.
grep '_test.go' peers.log | grep -v 'test.short' | sort | uniq -c | sed 's/^/== /' || true
[ "$status" = 0 ] || grep -vE '^ *--- (PASS|SKIP)|^=== ' peers.log
echo "== $(grep -cE '^ +--- PASS' peers.log) tests passed"
exit "$status"
