package hcatest_test

import (
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// modifies makes a defect of MR.Modify.
func modifies(f func(m *mr, access hca.Access) error) func() *defect {
	return func() *defect { return &defect{modify: f} }
}

// otherwise changes the rights that Modify gives.
func otherwise(f func(access hca.Access) hca.Access) func() *defect {
	return modifies(func(m *mr, access hca.Access) error { return m.MR.(hca.Modifier).Modify(f(access)) })
}

var brokenModifiers = []broken{
	{"keeps the former rights", modifies(func(*mr, hca.Access) error { return nil }), []string{
		"modification/other rights hold | write 1: status remote access",
		"modification/no byte changes | requests still succeeded",
		"modification/what cannot be | with unknown rights: succeeded",
	}},
	{"withdraws no right to write", otherwise(func(access hca.Access) hca.Access { return access | hca.RemoteWrite }), []string{
		"modification/other rights hold | write without the right: terminal event: not after",
		"modification/no byte changes | requests still succeeded",
	}},
	{"withdraws no right to read", otherwise(func(access hca.Access) hca.Access { return access | hca.RemoteRead }), []string{
		"modification/other rights hold | without a remote right",
	}},
	{"withdraws rights later", modifies(func(m *mr, access hca.Access) error {
		time.AfterFunc(20*time.Millisecond, func() { _ = m.MR.(hca.Modifier).Modify(access) })
		return nil
	}), []string{"modification/no byte changes | a region that may not be written to: byte"}},
	{"gives a region other keys with other rights", modifies(func(m *mr, access hca.Access) error {
		other, err := m.pd.Register(m.mem, access)
		if err == nil {
			err = m.MR.Close()
			m.MR = other
		}
		return err
	}), []string{"modification/other rights hold | the keys are"}},
	{"takes rights that it does not know", otherwise(func(access hca.Access) hca.Access { return access & hca.AllAccess }),
		[]string{"modification/what cannot be | with unknown rights: succeeded"}},
	{"withdraws all rights when it refuses others", modifies(func(m *mr, access hca.Access) error {
		err := m.MR.(hca.Modifier).Modify(access)
		if errors.Is(err, hca.Invalid) {
			_ = m.MR.(hca.Modifier).Modify(0)
		}
		return err
	}), []string{"modification/what cannot be | the remote key is 0x0"}},
	{"changes the rights under a window", modifies(func(m *mr, access hca.Access) error {
		if err := m.MR.(hca.Modifier).Modify(access); !errors.Is(err, hca.InUse) {
			return err
		}
		return nil
	}), []string{"modification/what cannot be | with a window bound to it: succeeded"}},
	{"changes rights without a look at the pages", modifies(func(m *mr, access hca.Access) error {
		if err := m.MR.(hca.Modifier).Modify(access); !errors.Is(err, hca.Privileges) {
			return err
		}
		return nil
	}), []string{"modification/what cannot be | for pages that may not be written to: succeeded"}},
	{"gives a closed region rights", modifies(func(m *mr, access hca.Access) error {
		if err := m.MR.(hca.Modifier).Modify(access); !errors.Is(err, hca.Closed) {
			return err
		}
		return nil
	}), []string{"modification/what cannot be | of a closed region: succeeded"}},
}
