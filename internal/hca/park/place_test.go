package park

import (
	"errors"
	"slices"
	"testing"
)

// note is a queue that notes what it watches, and takes nothing more when it is full.
type note struct {
	Queue
	full error
	fds  []int
}

func (n *note) Add(fd int) error {
	if n.full == nil {
		n.fds = append(n.fds, fd)
	}
	return n.full
}

func (n *note) Remove(fd int) {
	n.fds = slices.DeleteFunc(n.fds, func(has int) bool { return has == fd })
}

// TestAPlaceIsKept until the next park has taken the descriptor.
func TestAPlaceIsKept(t *testing.T) {
	var old, next Park
	watches, full := new(note), &note{full: errors.New("too many are watched")}
	old.Use(watches, nil)
	next.Use(full, nil)
	var m Place
	move := func(to *Park, want error, fds ...int) {
		t.Helper()
		if err := m.Move(3, to); err != want || !slices.Equal(watches.fds, fds) {
			t.Errorf("%v, and the first watches %v; want %v and %v", err, watches.fds, want, fds)
		}
	}
	move(&old, nil, 3)
	move(&old, nil, 3)
	move(&next, full.full, 3)
	full.full = nil
	move(&next, nil)
	move(nil, nil)
	if len(full.fds) > 0 {
		t.Errorf("the second watches %v, and nobody is there", full.fds)
	}
}
