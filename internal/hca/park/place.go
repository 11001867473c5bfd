package park

// A Place is where a descriptor is watched: in the queue of one park, or in none. Its owner guards it.
type Place struct{ at *Park }

// Move moves the descriptor to the park p; nil takes it out. If p cannot take it, it stays where it is. For a moment it
// is in both, so that no arrival is missed.
func (m *Place) Move(fd int, p *Park) error {
	if m.at == p {
		return nil
	}
	if p != nil {
		if err := p.add(fd); err != nil {
			return err
		}
	}
	if m.at != nil {
		m.at.remove(fd)
	}
	m.at = p
	return nil
}
