package rdma

import "github.com/godapl/godapl/internal/wait"

// sleepers are the cells of calls that wait for completions of a queue. Mostly it is one call: it costs no map.
type sleepers struct {
	first *wait.Cell
	more  map[*wait.Cell]struct{}
}

func (s *sleepers) add(cell *wait.Cell) {
	if s.first == nil {
		s.first = cell
		return
	}
	if s.more == nil {
		s.more = map[*wait.Cell]struct{}{}
	}
	s.more[cell] = struct{}{}
}

func (s *sleepers) remove(cell *wait.Cell) {
	if s.first == cell {
		s.first = nil
		return
	}
	delete(s.more, cell)
}

func (s *sleepers) wake() {
	if s.first != nil {
		s.first.Wake()
	}
	for cell := range s.more {
		cell.Wake()
	}
}
