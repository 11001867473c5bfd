package debug

import (
	"slices"

	"github.com/godapl/godapl/rdma"
)

// A Zone is a row of the table of zones. Keys and the content of memory are not shown.
type Zone struct {
	Adapter         string `json:"adapter"`
	Name            string `json:"name"` // as errors show it
	Regions         int    `json:"regions"`
	Windows         int    `json:"windows"`
	RegisteredBytes uint64 `json:"registered_bytes"`
}

// A Queue is a row of the table of completion queues. See rdma.QueueStats.
type Queue struct {
	Adapter    string `json:"adapter"`
	Name       string `json:"name"` // as errors show it
	Depth      int    `json:"depth"`
	Waiting    uint64 `json:"waiting"`
	High       uint64 `json:"high"`
	Taken      uint64 `json:"taken"`
	EmptyPolls uint64 `json:"empty_polls"`
	Arms       uint64 `json:"arms"`
	Wakes      uint64 `json:"wakes"`
	Overflows  uint64 `json:"overflows"`
}

// An Object is what a function of Show tells.
type Object struct {
	Name  string `json:"name"`
	Facts []Fact `json:"facts"`
}

// A Fact is a name and a value, such as "credits" and "12 of 64".
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type shown struct {
	name  string
	facts func() []Fact
}

// Show shows facts about something of the program on the page, beside the adapters: the credits of a protocol,
// the length of a queue. The page calls the function for each look, which must not wait for anything that may take
// long. Name and facts are shown as text, whatever is in them. The function that Show returns removes
// the object. Both may be called from anywhere, and wait for no look: one that has begun before the object
// was removed may still call the function.
func Show(name string, facts func() []Fact) (remove func()) { return published.show(name, facts) }

func (v *viewer) show(name string, facts func() []Fact) (remove func()) {
	x := &shown{name, facts}
	v.lists.Lock()
	defer v.lists.Unlock()
	v.shown = append(v.shown, x)
	return func() {
		v.lists.Lock()
		defer v.lists.Unlock()
		v.shown = slices.DeleteFunc(v.shown, func(y *shown) bool { return x == y })
	}
}

func zoneOf(adapter string, z *rdma.Zone, s rdma.ZoneStats) Zone {
	return Zone{adapter, z.String(), s.Regions, s.Windows, s.RegisteredBytes}
}

func queueOf(adapter string, q *rdma.CompletionQueue, s rdma.QueueStats) Queue {
	return Queue{adapter, q.String(), s.Depth, s.Waiting, s.High, s.Taken, s.EmptyPolls, s.Arms, s.Wakes, s.Overflows}
}
