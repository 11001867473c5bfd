package hcatest

import "github.com/godapl/godapl/internal/hca"

// regionPages: registration refuses a right that the pages do not allow, and returns
// the error to the caller. Later it would be a fault in the middle of an access.
func regionPages(t *env) {
	s := t.side("adapter", hca.Options{})
	half := mappedPages(t.TB, 2, 1) // the second page is for reading only
	none := mappedPages(t.TB, 1, 0)
	if half == nil {
		t.Logf("not checked: adapters do not learn what the pages of this system allow")
		return
	}
	page := len(half) / 2
	const reads = hca.LocalRead | hca.RemoteRead
	for _, c := range []struct {
		name   string
		b      []byte
		access hca.Access
		code   hca.Code
	}{
		{"reads of pages for reading", half, reads, hca.Unknown},
		{"local writes to a page for reading", half[page:], hca.LocalRead | hca.LocalWrite, hca.Privileges},
		{"remote writes to a page for reading", half[page:], hca.LocalWrite | hca.RemoteWrite, hca.Privileges},
		{"atomics on a page for reading", half[page:], hca.LocalWrite | hca.RemoteAtomic, hca.Privileges},
		{"writes to one byte for reading", half[:page+1], hca.LocalWrite | hca.RemoteWrite, hca.Privileges},
		{"writes to the byte before it", half[:page], reads | hca.LocalWrite | hca.RemoteWrite, hca.Unknown},
		{"reads of a page for nothing", none, reads, hca.Privileges},
		{"writes to a page for nothing", none, hca.LocalWrite | hca.RemoteWrite, hca.Privileges},
	} {
		mr, err := s.pd.Register(hca.Memory{Bytes: c.b}, c.access)
		if c.code != hca.Unknown {
			t.code(c.name, err, c.code)
			continue
		}
		t.must(c.name, err)
		t.must(c.name+": MR.Close", mr.Close())
	}
	t.must("PD.Close: what was refused is not there", s.pd.Close())
}
