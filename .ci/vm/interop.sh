# In a guest with the device siw0: the software adapter with siw, and with the
# programs of rdmacm-utils behind it.
set -e
. ./again.sh
cp godapl /tmp # in memory: to start it from the folder of the host takes seconds
a=10.77.2.1

# A server of C and one of ours, once it listens.
listening() { until rdma res show cm_id | grep -q "LISTEN.*:$1"; do sleep 0.1; done; }
bound() { until grep -q "$(printf ':%04X 00000000:0000 0A' "$1")" /proc/net/tcp; do sleep 0.1; done; }

# ended waits for a server of C, and shows what it has written if it has failed.
ended() { wait "$1" || { cat server && exit 1; }; }

echo "== software adapter with siw"
again ./interop.test -test.run /siw -test.timeout 300s

for size in 23 64 1461 65535; do
	echo "== rping, $size bytes: ours with C, C with ours"
	rping -s -a $a -p 7101 -V -S $size >server 2>&1 &
	listening 7101
	/tmp/godapl ping -c -a $a -p 7101 -V -C 10 -S $size
	ended $!
	/tmp/godapl ping -s -a $a -p 7102 -V &
	bound 7102
	timeout 60 rping -c -a $a -p 7102 -V -C 10 -S $size
	wait $!
done
echo "== rping, ours on both sides, siw on one"
/tmp/godapl ping -s -A siw0 -a $a -p 7103 -V &
listening 7103
/tmp/godapl ping -c -a $a -p 7103 -V -C 10
wait $!
/tmp/godapl ping -s -a $a -p 7104 -V &
bound 7104
/tmp/godapl ping -c -A siw0 -a $a -p 7104 -V -C 10
wait $!

echo "== ucmatose"
ucmatose -p 7105 >server 2>&1 &
listening 7105
GODAPL_INTEROP_CMATOSE=$a:7105 /tmp/interop.test -test.run CmatoseServer
ended $!
GODAPL_INTEROP_CMATOSE_AT=$a:7106 /tmp/interop.test -test.run CmatoseClient
