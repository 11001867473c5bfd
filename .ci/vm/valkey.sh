# In a guest with the devices rxe0 and siw0: both sides of Valkey's protocol over RoCE, and the client
# libraries with a real valkey-server. iWARP cannot carry the protocol, and the error says so.
set -e
. ./again.sh
echo "== net.Conn for Valkey"
export RDMA_DEVICES=rxe0
again ./valkeyconn.test -test.timeout 200s -test.run 'TestConn/.*/default|TestBadPeers|TestLyingServers'
if [ ! -e valkey-server ]; then
	echo "ok: skipped: there is no valkey-server"
	exit 0
fi
echo "== valkey"
export RDMA_DEVICES="rxe0 siw0" GODAPL_VALKEY=$PWD GODAPL_VALKEY_ADDRESS=$RDMA_VM_RXE_ADDR
again ./valkey.test -test.timeout 150s -test.run 'TestPeer|TestWithoutImmediate'
