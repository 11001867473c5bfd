package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// The methods below are defaults of Transport and SendPath for a simple connection: memory is accessed only
// inside its gates, no request waits for others to follow, and none is started before it is queued. A connection
// that differs has its own method.

func (s *SendHalf) AtOnce(uint64, hca.Op, hca.Flags, hca.Segment, uint64, hca.Key) Now { return NotNow }
func (s *SendHalf) MayWait() bool                                                      { return false }
func (s *SendHalf) MakeRoom()                                                          {}
func (s *SendHalf) Evict([]byte)                                                       {}
func (s *SendHalf) AwaitTeardown()                                                     {}
func (s *SendHalf) AppendStays(list []gate.Stay, _ *KeyEntry) []gate.Stay              { return list }
func (s *SendHalf) Concerns(c *progress.Consumer) bool                                 { return s.q.PolledBy(c) }
