package sendhalf

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// The methods below are defaults of core.Transport and Path for a simple connection: memory is accessed only
// inside its gates, no request waits for others to follow, and none is started before it is queued. A connection
// that differs has its own method.

func (s *Half) AtOnce(uint64, hca.Op, hca.Flags, hca.Segment, uint64, hca.Key) Now { return NotNow }
func (s *Half) MayWait() bool                                                      { return false }
func (s *Half) MakeRoom()                                                          {}
func (s *Half) Evict([]byte)                                                       {}
func (s *Half) AwaitTeardown()                                                     {}
func (s *Half) AppendStays(list []gate.Stay, _ *core.KeyEntry) []gate.Stay         { return list }
func (s *Half) Concerns(c *progress.Consumer) bool                                 { return s.q.PolledBy(c) }
