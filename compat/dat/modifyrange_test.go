package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestLimitBelowThePostedReceives: the limit of receives can be that, but not while more are posted.
func TestLimitBelowThePostedReceives(t *testing.T) {
	s := newSide(t, usual, nil)
	for range 2 {
		ok(t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(1), 0))
	}
	p := dat.EPParam{EPAttr: s.attr()}
	p.EPAttr.MaxRecvDTOS = 1
	want(t, dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS, &p), dat.InvalidState, dat.InvalidStateEPUnconnected)
	if n := s.attr().MaxRecvDTOS; n != 16 {
		t.Fatalf("the limit is %d", n)
	}
	p.EPAttr.MaxRecvDTOS = 2
	ok(t, dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS, &p))
}

// TestModifyToWhatThereIsNot: a quality of service that the adapter lacks is an attribute out of range. The page of
// dat_ep_modify has no other code for it.
func TestModifyToWhatThereIsNot(t *testing.T) {
	s := newSide(t, usual, nil)
	p := dat.EPParam{EPAttr: s.attr()}
	p.EPAttr.QOS, p.EPAttr.ServiceType = dat.QOSPremium, 1
	want(t, dat.EPModify(s.ep, dat.EPFieldEPAttrQOS, &p), dat.InvalidParameter, dat.InvalidArg3)
	want(t, dat.EPModify(s.ep, dat.EPFieldEPAttrServiceType, &p), dat.InvalidParameter, dat.InvalidArg3)
}
