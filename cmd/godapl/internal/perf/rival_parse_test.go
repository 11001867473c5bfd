package perf

import (
	"math"
	"strings"
	"testing"
)

// Output of perftest 6.06, ucx_perftest 1.13.1, fi_pingpong 1.17.0.
const (
	perftestLatency = ` local address: LID 0000 QPN 0x0003 PSN 0x6c3b62
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] 
 64      1000          24.76          6447.70      28.76    	       1239.14     	1798.17		4564.44 		6447.70
---------------------------------------------------------------------------------------
`
	perftestBandwidth = ` #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      1000             363.91             244.19 		   0.003907
`
	perftestSlow = ` #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 8          1000             0.09               0.08 		   0.010251
`
	ucxLatency = `iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
20000,3.455,3.412,3.412,2.24,2.24,293055,293055
`
	ucxBandwidth = `[1795295025.627784] [vm:9546 :0]     ucp_context.c:1014 UCX  WARN  transport 'cma' is not available
iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
2000,4.449,121.870,121.870,8205.46,8205.46,8205,8205
`
	pingpongSmall = `bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
64      200k    =200k    24m         1.86s     13.78       4.64       0.22
`
	pingpongLarge = `bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
1m      2k      =2k      3.9g        0.85s   4929.19     212.73       0.00
`
)

func TestParsesRivals(t *testing.T) {
	for _, c := range []struct {
		parse         func(string, int) (figures, error)
		out           string
		latency, rate float64
	}{
		{parseUCX, ucxLatency, 3455, 293055},
		{parseUCX, ucxBandwidth, 4449, 8205},
		// Without a percentile, as versions before 1.11 printed it.
		{parseUCX, strings.Replace(ucxLatency, "50.0_percentile_lat", "typical_lat", 1), 3412, 293055},
		{parsePingpong, pingpongSmall, 4640, 1e6 / 4.64},
		{parsePingpong, pingpongLarge, 212730, 1e6 / 212.73},
		{parsePerftest, perftestLatency, 28760, 1e6 / 28.76},
		{parsePerftest, perftestBandwidth, 0, 244.19 * (1 << 20) / 64},
		{parsePerftest, perftestSlow, 0, 10251},
	} {
		got, err := c.parse(c.out, 64)
		if err != nil || math.Abs(got.latency-c.latency) > 0.01 || math.Abs(got.rate-c.rate) > 0.01 {
			t.Errorf("%+v, %v of %q; want %g ns, %g/s", got, err, c.out, c.latency, c.rate)
		}
	}
}

func TestParsesNothingElse(t *testing.T) {
	for _, parse := range []func(string, int) (figures, error){parseUCX, parsePingpong, parsePerftest} {
		for _, out := range []string{
			"", "Waiting for connection...\n",
			strings.SplitAfter(ucxLatency, "\n")[0], strings.SplitAfter(pingpongSmall, "\n")[0], // without values
			strings.ReplaceAll(ucxLatency, "3.4", "3,4"), strings.ReplaceAll(ucxLatency, "3.4", "x"),
			"iterations,overall_mr\n5,0\n", "bytes usec/xfer\n64 0.00\n", "bytes usec/xfer\n64 nan\n",
			strings.ReplaceAll(perftestLatency, "28.76", "0"), strings.ReplaceAll(perftestLatency, "28.76", "-nan"),
			strings.ReplaceAll(perftestSlow, "0.010251", "?"), "#bytes #iterations\n64 5\n",
		} {
			if got, err := parse(out, 64); err == nil {
				t.Errorf("%+v of %q", got, out)
			}
		}
	}
}
