// Package softtest holds what the tests of the software adapter's packages share: two connected ends, an end
// whose peer is the test, and memory whose pages can be taken away.
//
//	ends               end.go lone.go
//	streams in memory  pipe.go
//	memory             memory.go sys_lost_linux.go
//	others             seed.go descriptors_linux.go sys_room_linux.go
package softtest
