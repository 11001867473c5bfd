package progress

// Holder says who has the lead.
func (l *Lead) Holder() string {
	return [...]string{"the poller", "a consumer", "nobody"}[l.state.Load()]
}
