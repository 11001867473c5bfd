package dat_test

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// enumerations are the types whose values print as words.
var enumerations = map[string]func(uint64) string{
	"CNOParamMask": as[dat.CNOParamMask], "CRParamMask": as[dat.CRParamMask], "CSPParamMask": as[dat.CSPParamMask],
	"CloseFlags": as[dat.CloseFlags], "CompletionFlags": as[dat.CompletionFlags], "ConnectFlags": as[dat.ConnectFlags],
	"DTOCompletionStatus": as[dat.DTOCompletionStatus], "DTOS": as[dat.DTOS], "EPCreatorForPSP": as[dat.EPCreatorForPSP],
	"EPParamMask": as[dat.EPParamMask], "EPState": as[dat.EPState], "EVDFlags": as[dat.EVDFlags],
	"EVDParamMask": as[dat.EVDParamMask], "EVDState": as[dat.EVDState], "EventNumber": as[dat.EventNumber],
	"ExtendedOp": as[dat.ExtendedOp], "Extension": as[dat.Extension], "HALB": as[dat.HALB],
	"HARelationship": as[dat.HARelationship], "HandleType": as[dat.HandleType], "IAAttrMask": as[dat.IAAttrMask],
	"IBCollectiveDataType": as[dat.IBCollectiveDataType], "IBCollectiveReduceDataOp": as[dat.IBCollectiveReduceDataOp],
	"IBEPCounter": as[dat.IBEPCounter], "IBEVDCounter": as[dat.IBEVDCounter], "IBExtType": as[dat.IBExtType],
	"IBIACounter": as[dat.IBIACounter], "IBIACounterType": as[dat.IBIACounterType], "IBStatus": as[dat.IBStatus],
	"IOVOwnership": as[dat.IOVOwnership], "IWSSPParamMask": as[dat.IWSSPParamMask], "IWSSPState": as[dat.IWSSPState],
	"LMRParamMask": as[dat.LMRParamMask], "MemPrivFlags": as[dat.MemPrivFlags], "MemType": as[dat.MemType],
	"PSPFlags": as[dat.PSPFlags], "PSPParamMask": as[dat.PSPParamMask], "PZParamMask": as[dat.PZParamMask],
	"PZSupport": as[dat.PZSupport], "ProviderAttrMask": as[dat.ProviderAttrMask], "ProxyType": as[dat.ProxyType],
	"QOS": as[dat.QOS], "RMRParamMask": as[dat.RMRParamMask], "RMRScope": as[dat.RMRScope],
	"RSPParamMask": as[dat.RSPParamMask], "SRQParamMask": as[dat.SRQParamMask], "SRQState": as[dat.SRQState],
	"ServiceType": as[dat.ServiceType], "VAType": as[dat.VAType],
}

func as[T ~uint32 | ~uint64 | ~int](n uint64) string { return fmt.Sprint(T(n)) }

// Every constant of the table that has a type of its own prints as one of the table's
// names for its number.
func TestEveryConstantPrintsItsName(t *testing.T) {
	p, capital := checked(t), capitals(t)
	names := map[string]map[uint64][]string{} // by type and value
	for _, row := range table(t, "constants.txt") {
		c, ok := p.Scope().Lookup(goName(row[0], capital)).(*types.Const)
		if !ok {
			continue
		}
		named, ok := c.Type().(*types.Named)
		if !ok {
			continue
		}
		switch typ := named.Obj().Name(); typ {
		case "Return", "Count", "Boolean", "Timeout", "EVDHandle": // numbers, or an error
		default:
			v, _ := constant.Uint64Val(constant.ToInt(c.Val()))
			if names[typ] == nil {
				names[typ] = map[uint64][]string{}
			}
			names[typ][v] = append(names[typ][v], row[0])
		}
	}
	for typ, values := range names {
		print := enumerations[typ]
		if print == nil {
			t.Errorf("%s has constants and is not in the list of this test", typ)
			continue
		}
		for v, want := range values {
			if s := print(v); !slices.Contains(want, s) {
				t.Errorf("%s(%#x) prints as %q, want one of %v", typ, v, s, want)
			}
		}
	}
	if len(names) != len(enumerations) {
		t.Errorf("%d types have constants, the list of this test has %d", len(names), len(enumerations))
	}
}

// Flags are joined; a flag without a name shows as a number and does not hide the
// others.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		have fmt.Stringer
		want string
	}{
		{dat.ConnectionEventBroken, "DAT_CONNECTION_EVENT_BROKEN"},
		{dat.EventNumber(0x77), "EventNumber(119)"},
		{dat.DTOErrRemoteAccess, "DAT_DTO_ERR_REMOTE_ACCESS"},
		{dat.EPStateError, "DAT_EP_STATE_DISCONNECTED"},
		{dat.ServiceType(1), "DAT_IB_SERVICE_TYPE_UD"},
		{dat.EVDDTOFlag | dat.EVDConnectionFlag, "DAT_EVD_DTO_FLAG|DAT_EVD_CONNECTION_FLAG"},
		{dat.MemPrivLocalReadFlag | dat.MemPrivLocalWriteFlag | 0x4000, "DAT_MEM_PRIV_LOCAL_READ_FLAG|DAT_MEM_PRIV_LOCAL_WRITE_FLAG|0x4000"},
		{dat.CompletionDefaultFlag, "DAT_COMPLETION_DEFAULT_FLAG"},
		{dat.EPParamMask(0), "0x0"},
		{dat.EVDStateEnabled | dat.EVDStateWaitable | dat.EVDStateConfigThreshold,
			"DAT_EVD_STATE_ENABLED|DAT_EVD_STATE_WAITABLE|DAT_EVD_STATE_CONFIG_THRESHOLD"},
		{dat.EVDStateConfigNotify, "DAT_EVD_STATE_CONFIG_NOTIFY"},
		{dat.IBIACounter(-1), "IBIACounter(-1)"},
	} {
		if s := c.have.String(); s != c.want {
			t.Errorf("%s\nwant %s", s, c.want)
		}
	}
	event := fmt.Sprint(dat.Event{EventNumber: dat.ConnectionEventDisconnected})
	if !strings.Contains(event, "DAT_CONNECTION_EVENT_DISCONNECTED") {
		t.Errorf("an event prints as %s", event)
	}
}
