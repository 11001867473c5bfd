// Package zonemem is how package rdma makes the memory side of a zone, which package mem
// has and does not export: programs get regions and windows from rdma.Zone alone.
package zonemem

import "github.com/godapl/godapl/internal/hca"

// New makes the memory side of a zone over a protection domain. The name goes into
// errors, the number is what mem.Region.ZoneID tells. Package mem sets New when it is
// initialised; package rdma, which imports it, knows the result by its methods.
var New func(pd hca.PD, name string, number uint64) any

// Refusal is why a *mem.Slice may not be used with some rights in a zone that New made, or
// in its own if zone is nil. It is nil for an empty slice, which the rules leave unchecked.
// Package mem sets it, too.
var Refusal func(slice, zone any, rights uint8) error
