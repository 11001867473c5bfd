package dat

import "github.com/godapl/godapl/compat/internal/table"

// objects maps the handles of one kind to objects.
type objects[T any] = table.Handles[Handle, T]

func newObjects[T any](kind HandleType) *objects[T] { return table.NewHandles[Handle, T](uint8(kind)) }

func kindOf(h Handle) HandleType {
	kind, ok := table.Kind(h)
	if !ok {
		return ^HandleType(0)
	}
	return HandleType(kind)
}
