package group

// CrowdEverywhere lets all connections that are in no group sleep at boards, for tests. The returned function undoes that.
func CrowdEverywhere() (undo func()) {
	everywhere.Store(true)
	return func() { everywhere.Store(false) }
}

// Everywhere makes all connections of new kins members of groups, also the first ones, for tests. The returned function undoes that.
func Everywhere() (undo func()) {
	was := alone
	alone = 0
	return func() { alone = was }
}
