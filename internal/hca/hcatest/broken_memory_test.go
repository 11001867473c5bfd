package hcatest_test

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// registers makes a defect of PD.Register.
func registers(f func(mem *hca.Memory, access *hca.Access)) func() *defect {
	return func() *defect { return &defect{register: f} }
}

// also grants more rights than were asked for.
func also(a hca.Access) func() *defect {
	return registers(func(_ *hca.Memory, access *hca.Access) {
		if *access&hca.RemoteAll != 0 {
			*access |= a
		}
	})
}

var brokenMemory = []broken{
	{"grants remote writes to every peer", also(hca.RemoteWrite), []string{"rights/an operation without", "regions/may lie over"}},
	{"grants remote reads to every peer", also(hca.RemoteRead), []string{"rights/an operation without"}},
	{"grants atomics to every peer", also(hca.RemoteAtomic), []string{"rights/an operation without"}},
	{"forgets rights", registers(func(_ *hca.Memory, access *hca.Access) {
		*access &^= hca.RemoteWrite
	}), []string{"rights/the one right"}},
	{"grants local writes", registers(func(_ *hca.Memory, access *hca.Access) { *access |= hca.LocalWrite }),
		[]string{"local memory/a bad segment fails", "local memory/a bad segment of a receive"}},
	{"grants local reads", registers(func(_ *hca.Memory, access *hca.Access) { *access |= hca.LocalRead }),
		[]string{"local memory/a bad segment fails"}},
	{"gives every region a remote key", registers(func(_ *hca.Memory, access *hca.Access) { *access |= hca.RemoteRead }),
		[]string{"regions/have no remote key", "keys/a key without remote rights"}},
	{"grants a byte too few", registers(func(mem *hca.Memory, _ *hca.Access) {
		if n := len(mem.Bytes); n > 1 {
			mem.Bytes = mem.Bytes[:n-1]
		}
	}), []string{"bounds/the first and the last", "regions/have an address"}},
	{"grants eight bytes too many behind", registers(func(mem *hca.Memory, _ *hca.Access) {
		if n := len(mem.Bytes); n > 0 {
			mem.Bytes = grow(mem.Bytes, 8)[8:]
		}
	}), []string{"bounds/one byte outside", "local memory/a bad segment fails"}},
	{"frees nothing", func() *defect { return &defect{mrClose: func(hca.MR) error { return nil }} },
		[]string{
			"keys/a freed region's key", "revocation/no byte of a freed region changes", "revocation/no byte of a freed region is read",
			"revocation/no byte of a freed region is sent", "revocation/no message lands", "local memory/freed under",
			"windows/a region cannot be closed",
		}},
	{"frees later", func() *defect {
		return &defect{mrClose: func(m hca.MR) error { go m.Close(); return nil }}
	}, []string{"windows/a region cannot be closed"}},
	{"asks no page", registers(func(mem *hca.Memory, _ *hca.Access) { mem.Own = true }),
		[]string{"regions/are refused what their pages"}},
	{"asks for no key", func() *defect {
		var mu sync.Mutex
		var all []hca.MR
		return &defect{
			made: func(m hca.MR) {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, m)
			},
			post: func(qp hca.QP, wr hca.SendWR) error {
				mu.Lock()
				for _, m := range all { // the key of any region
					if wr.Remote-m.Addr() < uint64(m.Len()) && wr.Op != hca.OpSendInvalidate {
						wr.RKey = m.RKey()
					}
				}
				mu.Unlock()
				return qp.PostSend(wr)
			},
		}
	}, []string{"keys/a key that was never given", "keys/guessing", "windows/an endpoint window is good"}},
	{"knows one domain only", func() *defect { return &defect{onePD: true} },
		[]string{"keys/a key of another domain", "local memory/a bad segment fails"}},
	{"closes a domain that is in use", func() *defect {
		return &defect{pdClose: func(hca.PD) error { return nil }}
	}, []string{"objects/a domain cannot be closed"}},
	{"leaves a region where it is", func() *defect {
		return &defect{adopt: func(_ hca.PD, m hca.MR, _ hca.Memory, _ hca.Access) (hca.MR, error) { return m, nil }}
	}, []string{
		"adoption/a region moves", "adoption/what the former domain", "adoption/posted work", "adoption/no byte changes",
		"adoption/what cannot be",
	}},
	{"registers a region again to move it", func() *defect {
		return &defect{adopt: func(to hca.PD, m hca.MR, mem hca.Memory, access hca.Access) (hca.MR, error) {
			m.Close()
			return to.Register(mem, access)
		}}
	}, []string{"adoption/a region moves", "adoption/what cannot be"}},
	{"gives a region all rights when it moves", func() *defect {
		return &defect{adopt: func(to hca.PD, m hca.MR, mem hca.Memory, _ hca.Access) (hca.MR, error) {
			return to.(hca.Adopter).Adopt(m, mem, hca.AllAccess)
		}}
	}, []string{"adoption/a region moves"}},
	{"writes to memory behind completions", func() *defect {
		var mu sync.Mutex
		var sinks [][]byte // where reads and messages go
		return &defect{
			register: func(mem *hca.Memory, access *hca.Access) {
				mu.Lock()
				defer mu.Unlock()
				if *access == hca.LocalWrite {
					sinks = append(sinks, mem.Bytes)
				}
			},
			entries: func() func([]hca.WC) []hca.WC {
				return func(wcs []hca.WC) []hca.WC {
					mu.Lock()
					defer mu.Unlock()
					for _, b := range sinks { // some are under way, and others have completed
						b[0] = 1
					}
					return wcs
				}
			},
		}
	}, []string{"behind completions/nobody touches an"}},
	{"spoils a byte of what it receives", func() *defect {
		var mu sync.Mutex
		var last []byte
		hit := every(3)
		return &defect{
			register: func(mem *hca.Memory, access *hca.Access) {
				mu.Lock()
				defer mu.Unlock()
				if *access&hca.LocalWrite != 0 {
					last = mem.Bytes
				}
			},
			entries: func() func([]hca.WC) []hca.WC {
				return func(wcs []hca.WC) []hca.WC {
					mu.Lock()
					defer mu.Unlock()
					if len(wcs) > 0 && wcs[0].Op == hca.OpRecv && hit() {
						last[0] ^= 1
					}
					return wcs
				}
			},
		}
	}, []string{"send/of every length"}},
}
