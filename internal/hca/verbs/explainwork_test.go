package verbs

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Every status of a completion has a name and a meaning here, and every one
// that ends a connection a cause and a cure.
func TestEveryStatus(t *testing.T) {
	if n := len(constants(t, "wc.go", "WCSuccess", "WCTMRndvIncomplete")); n != len(statuses) {
		t.Errorf("package ibv has %d statuses, the table %d", n, len(statuses))
	}
	seen := map[string]bool{}
	for v, s := range statuses {
		raw := ibv.WCStatus(v)
		if len(s.name) < len("IBV_WC_X") || s.name[:7] != "IBV_WC_" || seen[s.name] {
			t.Errorf("status %d is called %q", v, s.name)
		}
		seen[s.name] = true
		if (s.status == hca.StatusOK) != (raw == ibv.WCSuccess) || (s.status == hca.StatusFlushed) != (raw == ibv.WCWRFlushErr) {
			t.Errorf("%s means %v", s.name, s.status)
		}
		if s.status == hca.StatusOK || s.status == hca.StatusFlushed {
			continue
		}
		if int(s.status) >= len(cures) || len(cures[s.status]) < 20 {
			t.Errorf("%v has no cause and cure", s.status)
			continue
		}
		err := explainWork(hca.OpWrite, raw, 0x8a, "192.0.2.1:7471")
		told(t, err, hca.Work, "write 192.0.2.1:7471: ", s.status.String(), cures[s.status], s.name, "0x8a")
		if e := new(hca.Error); !errors.As(err, &e) || e.Status != s.status || e.Vendor != 0x8a {
			t.Errorf("%v: status %v, vendor %#x", err, e.Status, e.Vendor)
		}
	}
	for st := hca.StatusLocalLength; st <= hca.StatusFatal; st++ {
		if int(st) >= len(cures) || cures[st] == "" {
			t.Errorf("%v has no cause and cure", st)
		}
	}
	told(t, explainWork(hca.OpRead, 200, 1, "peer"), hca.Work, hca.StatusFatal.String(), "status 200", "0x1")
}

func TestEndsThatTheDeviceReports(t *testing.T) {
	for typ, word := range map[ibv.EventType]string{
		ibv.EventQPAccessErr: "not allowed", ibv.EventQPReqErr: "longer than its receive",
		ibv.EventQPFatal: "connect again", ibv.EventPathMigErr: "connect again",
	} {
		told(t, explainAsync(typ, "so says the device", "peer"), hca.Broken, word, "so says the device")
	}
	told(t, explainAlone("peer"), hca.Broken, "refused")
}
