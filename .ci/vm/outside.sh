# In a guest with the device siweth0, which the host reaches: first the partner of
# tests that the host runs, then the same tests, with a partner on the host. And the
# rping of C, with ours on the host.
set -e
# siw reports a wrong CRC in the kernel's log only. .ci/faults looks for that line.
trap '[ $? = 0 ] || dmesg | grep "siw: crc error" || true' EXIT
echo "== rping of C, which ours finds"
rping -s -a 10.0.2.15 -p 7501 -V -S 65535 >server 2>&1 &
server=$!
echo "== partner of the host's software adapter"
GODAPL_INTEROP_SERVE="siweth0 10.0.2.15:7500" ./interop.test
wait $server
echo "== siweth0 with the host's"
GODAPL_INTEROP_WITH="siweth0 10.0.2.2:$1" ./interop.test -test.short -test.timeout 300s
echo "== rping of C, which finds ours"
rping -c -a 10.0.2.2 -p "$2" -V -C 10 -S 1461
[ -x bin/rsocket-peer ] || exit 0
echo "== sockets of C with the host's"
PATH=$PWD/bin:$PATH LD_LIBRARY_PATH=$PWD/lib GODAPL_RSOCKET_OUTSIDE="c 10.0.2.15:7502 10.0.2.2:$3" ./peers.test -test.v -test.run TestOutside -test.timeout 400s
