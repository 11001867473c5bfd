package doctor

import "github.com/godapl/godapl/internal/sysrdma"

// A Level says how much a finding matters.
type Level string

// Levels. RDMA, or a path of the software adapter, does not work with a problem. It works, but
// worse or not for every program, with a warning. A note needs no action.
const (
	Problem Level = "problem"
	Warning Level = "warning"
	Note    Level = "note"
)

// A Report is what was found on a host.
type Report struct {
	Host   string `json:"host"`
	System string `json:"system"` // and its release
	Arch   string `json:"arch"`
	CPUs   int    `json:"cpus"` // that this process may use; 0 if that is not known
	// Devices are the RDMA devices of the kernel.
	Devices  []sysrdma.Device `json:"devices"`
	Facts    []Fact           `json:"facts"`
	Findings []Finding        `json:"findings"`
	Tests    []Test           `json:"tests"`
	// MTUs are the active MTUs of ports in bytes, by "device:port".
	MTUs map[string]int `json:"mtus"`
}

// A Fact is something that is as it should be, or that explains the findings.
type Fact struct {
	Area string `json:"area"`
	Text string `json:"text"`
}

// A Finding is something that a reader should know.
type Finding struct {
	Name   string `json:"name"` // of the Kind
	Level  Level  `json:"level"`
	Object string `json:"object,omitempty"` // device, file, interface: what it is about
	Found  string `json:"found"`
	Why    string `json:"why"`
	Mend   string `json:"mend"`
}

// A Test is a self-test that was run. One that failed has a finding of the same name, too.
type Test struct {
	Name   string `json:"name"` // of the Kind
	Object string `json:"object"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // the path of the connection, or why it failed
}

// Count is the number of findings of a level.
func (r *Report) Count(l Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// Fact adds a fact.
func (r *Report) Fact(area, text string) { r.Facts = append(r.Facts, Fact{area, text}) }

// Test adds the result of a self-test, and a finding if it failed.
func (r *Report) Test(name, object, path string, err error) {
	if err == nil {
		r.Tests = append(r.Tests, Test{name, object, true, path})
		return
	}
	r.Tests = append(r.Tests, Test{name, object, false, err.Error()})
	r.Find(name, object, err.Error())
}

// Find adds a finding of a kind, with the kind's level.
func (r *Report) Find(name, object, found string) { r.FindAs(kind(name).Level, name, object, found) }

// FindAs adds a finding with a level of its own. It panics if there is no kind of that name.
func (r *Report) FindAs(l Level, name, object, found string) {
	k := kind(name)
	r.Findings = append(r.Findings, Finding{
		Name: name, Level: l, Object: object, Found: found, Why: k.Why, Mend: k.mend(object),
	})
}
