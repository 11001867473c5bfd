package group

// Everywhere makes all connections of new kins members of groups, also the first ones, for tests. The returned function undoes that.
func Everywhere() (undo func()) {
	was := alone
	alone = 0
	return func() { alone = was }
}
