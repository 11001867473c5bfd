# In a guest with the device siweth0, which the host reaches: first the partner of
# tests that the host runs, then the same tests, with a partner on the host.
set -e
echo "== partner of the host's software adapter"
GODAPL_INTEROP_SERVE="siweth0 10.0.2.15:7500" ./interop.test
echo "== siweth0 with the host's"
GODAPL_INTEROP_WITH="siweth0 10.0.2.2:$1" ./interop.test -test.short -test.timeout 200s
