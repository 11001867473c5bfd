package prometheus_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/godapl/godapl/contrib/prometheus"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/metrics"
	"github.com/godapl/godapl/rdma/rdmatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCollector checks values, and the rules of names that Prometheus has itself.
func TestCollector(t *testing.T) {
	t.Setenv("GODAPL_LATENCY", "1")
	a, b := rdmatest.PairOn(t, "soft-loop", rdma.EndpointConfig{})
	from, err := a.Zone().Alloc(64, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.Zone().Alloc(64, mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write(t.Context(), from.Slice(0, 64), to.Remote()); err != nil {
		t.Fatal(err)
	}
	c := prometheus.NewCollector(a.Zone().Adapter())
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	const connections = `
# HELP godapl_connections RDMA: connections that exist.
# TYPE godapl_connections gauge
godapl_connections{adapter="soft-loop"} 1
`
	if err := testutil.CollectAndCompare(c, strings.NewReader(connections), "godapl_connections"); err != nil {
		t.Error(err)
	}
	want := 1 // histogram: that of the write
	for _, d := range metrics.All() {
		if d.Kind != metrics.Histogram {
			want++
		}
	}
	if got := testutil.CollectAndCount(c); got != want {
		t.Errorf("%d metrics collected, want %d", got, want)
	}
	r := client.NewPedanticRegistry()
	r.MustRegister(c)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "godapl_operation_latency_seconds" {
			h := f.GetMetric()[0].GetHistogram()
			if n := len(h.GetBucket()); h.GetSampleCount() != 1 || n == 0 || h.GetBucket()[n-1].GetCumulativeCount() != 1 {
				t.Errorf("the histogram is %v", h)
			}
		}
		if f.GetName() != "godapl_operation_bytes_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "op" && l.GetValue() == "write" && m.GetCounter().GetValue() != 64 {
					t.Errorf("%v bytes written, want 64", m.GetCounter().GetValue())
				}
			}
		}
	}
}

// TestTheDashboard: it is JSON, and asks only for metrics that exist.
func TestTheDashboard(t *testing.T) {
	b, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(b, &board); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, d := range metrics.All() {
		have[d.Family] = true
		if d.Kind == metrics.Histogram {
			have[d.Family+"_bucket"] = true
		}
	}
	asked := 0
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			if strings.Contains(target.Expr, "godapl_completions_total") && !strings.Contains(target.Expr, "flushed") {
				t.Errorf("%s counts what was flushed, which is no failure", target.Expr)
			}
			for _, name := range regexp.MustCompile(`godapl_[a-z_]+`).FindAllString(target.Expr, -1) {
				if asked++; !have[name] {
					t.Errorf("%s does not exist", name)
				}
			}
		}
	}
	if asked < 8 {
		t.Errorf("the dashboard asks for %d metrics", asked)
	}
}
