package metrics_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/metrics"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestNames checks the form of the names, here and in Prometheus, and that each is there once.
func TestNames(t *testing.T) {
	name := regexp.MustCompile(`^/rdma(/[a-z-]+)+:[a-z]+$`)
	family := regexp.MustCompile(`^godapl(_[a-z]+)+$`)
	seen := map[string]bool{}
	for _, d := range metrics.All() {
		key := d.Family + d.Label + d.Value
		if !name.MatchString(d.Name) || !family.MatchString(d.Family) || seen[d.Name] || seen[key] || d.Help == "" {
			t.Errorf("%+v", d)
		}
		seen[d.Name], seen[key] = true, true
		if counter := strings.HasSuffix(d.Family, "_total"); counter != (d.Kind == metrics.Counter) {
			t.Errorf("%s: %s does not say its kind", d.Name, d.Family)
		}
		if unit := d.Unit(); (unit == "bytes" || unit == "seconds") && !strings.Contains(d.Family, "_"+unit) {
			t.Errorf("%s: %s does not say its unit", d.Name, d.Family)
		}
	}
}

// TestTheTableInTheDocs: the page for operators has each family, and no other.
func TestTheTableInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/production.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(godapl_[a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = true
	}
	have := map[string]bool{}
	for _, d := range metrics.All() {
		if have[d.Family] = true; !told[d.Family] {
			t.Errorf("docs/production.md has no row for %s: %s", d.Family, d.Help)
		}
	}
	for family := range told {
		if !have[family] {
			t.Errorf("docs/production.md has a row for %s, which does not exist", family)
		}
	}
}

// TestRead reads the metrics of an adapter that has done something.
func TestRead(t *testing.T) {
	a, b := rdmatest.PairOn(t, "soft-loop", rdma.EndpointConfig{})
	from, err := a.Zone().Alloc(100, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.Zone().Alloc(100, mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := a.Write(context.Background(), from.Slice(0, 100), to.Remote()); err != nil {
			t.Fatal(err)
		}
	}
	var values map[string]any
	if err := json.Unmarshal([]byte(metrics.Var(a.Zone().Adapter()).String()), &values); err != nil {
		t.Fatal(err)
	}
	histograms := 0
	for _, d := range metrics.All() {
		if d.Kind == metrics.Histogram {
			histograms++
		}
	}
	if len(values) != len(metrics.All())-histograms { // they were not asked for
		t.Errorf("%d values of %d metrics, %d of which are histograms", len(values), len(metrics.All()), histograms)
	}
	for name, want := range map[string]float64{
		"/rdma/op/write:operations": 3, "/rdma/op/write:bytes": 300, "/rdma/op/read:operations": 0,
		"/rdma/status/success:completions": 3, "/rdma/connections/established:connections": 1, "/rdma/connections/now:connections": 1,
		"/rdma/objects/endpoints:objects": 1, "/rdma/queue/taken:completions": 3,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %v (%t), want %v", name, got, ok, want)
		}
	}
}
