package dat

// The collective operations of the InfiniBand extension (2.0), which an MPI library may
// leave to an adapter. No adapter of this library has them: the calls take the
// arguments of the C header, ignore them, and return NotImplemented. A program that
// asks for the attributes of an adapter ([IAQuery]) finds none of their names there.

// IBCollectiveHandle is a group (DAT_IB_COLLECTIVE_HANDLE). 2.0; there are none.
type IBCollectiveHandle Handle

// IBCollectiveRank is the number of a member of a group (DAT_IB_COLLECTIVE_RANK). 2.0.
type IBCollectiveRank uint32

// IBCollectiveID is the number of a group, the same for all its members
// (DAT_IB_COLLECTIVE_ID). 2.0.
type IBCollectiveID uint32

// IBCollectiveMember is the address of a member (DAT_IB_COLLECTIVE_MEMBER, a void
// pointer in C). 2.0.
type IBCollectiveMember = Pvoid

// IBCollectiveGroup says which members share a host (DAT_IB_COLLECTIVE_GROUP). A rank
// is one in the whole group unless it is called local or external; each host has one
// member that is external. -1 stands for none. 2.0.
type IBCollectiveGroup struct {
	LocalSize      int
	LocalRank      int
	LocalRanks     []int // by local rank
	ExternalSize   int
	ExternalRank   int
	ExternalRanks  []int // by external rank
	IntranodeTable []int // local ranks, by rank
	InternodeTable []int // external ranks, by rank
	IsCommWorld    int
}

// IBCollectiveCreateMember makes the address of this process for a group
// (dat_ib_collective_create_member): [NotImplemented].
func IBCollectiveCreateMember(iaHandle IAHandle, progressFunc Pvoid, member *IBCollectiveMember, memberSize *uint32) Return {
	return notImplemented
}

// IBCollectiveFreeMember frees the address of a member (dat_ib_collective_free_member):
// [NotImplemented].
func IBCollectiveFreeMember(iaHandle IAHandle, member IBCollectiveMember) Return {
	return notImplemented
}

// IBCollectiveCreateGroup makes a group of the members, in the order of their ranks
// (dat_ib_collective_create_group): [NotImplemented].
func IBCollectiveCreateGroup(members []IBCollectiveMember, groupSize Count, self IBCollectiveRank, groupID IBCollectiveID, groupInfo *IBCollectiveGroup, evd EVDHandle, pd PZHandle, userContext Context) Return {
	return notImplemented
}

// IBCollectiveFreeGroup frees a group (dat_ib_collective_free_group): [NotImplemented].
func IBCollectiveFreeGroup(collHandle IBCollectiveHandle) Return {
	return notImplemented
}

// IBCollectiveSetClock sets the group's clock (dat_ib_collective_set_clock):
// [NotImplemented].
func IBCollectiveSetClock(collHandle IBCollectiveHandle, clockValue uint64, userContext Context) Return {
	return notImplemented
}

// IBCollectiveReadClock reads the group's clock (dat_ib_collective_read_clock):
// [NotImplemented].
func IBCollectiveReadClock(collHandle IBCollectiveHandle, clockValue *uint64) Return {
	return notImplemented
}
