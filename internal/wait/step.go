package wait

// hook, if set, is called between the steps of the loop with the cell or lock
// concerned. It is nil but in this package's tests, which use it to run
// consumer and producers in every possible order.
var hook func(object any, step string)

// at marks a step. Nothing may be locked here.
func at(object any, step string) {
	if hook != nil {
		hook(object, step)
	}
}
