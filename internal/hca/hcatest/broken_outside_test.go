package hcatest_test

import (
	"github.com/godapl/godapl/internal/hca"
)

// watches makes a defect of DescriptorArmer.
func watches(watch func(q hca.DescriptorArmer, fds []int32) ([]int32, error), unwatch func(q hca.DescriptorArmer, others bool)) func() *defect {
	return func() *defect { return &defect{path: "shm", watch: watch, unwatch: unwatch} }
}

var brokenOutside = []broken{
	{"gives a thread no descriptor", watches(func(q hca.DescriptorArmer, fds []int32) ([]int32, error) {
		_, err := q.ArmDescriptors(nil)
		return fds, err
	}, nil), []string{"outside/no wake-up of a thread | no entry after", "outside/nor of a consumer | no entry after"}},
	{"arms nothing for a thread", watches(func(_ hca.DescriptorArmer, fds []int32) ([]int32, error) {
		return fds, nil
	}, nil), []string{"outside/no wake-up of a thread | that nothing told of", "outside/nor of a consumer | that nothing told of"}},
	{"never takes the descriptors back", watches(nil, func(hca.DescriptorArmer, bool) {}),
		[]string{"outside/a thread that has stopped | receive: "}},
}
