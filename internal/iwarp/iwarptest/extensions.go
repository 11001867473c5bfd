package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// extensions are the messages of RFC 7306.
func extensions() []FPDU {
	return []FPDU{
		{
			Name: "imm_data", Note: "opcode and queue unverified against other implementations",
			Wire:    unhex("001a 41 48 00000000 00000000 00000001 00000000 0102030405060708 06c22805"),
			Segment: iwarp.Segment{Op: iwarp.OpImmediate, Last: true, MSN: 1},
			Message: uint64(0x0102030405060708),
		},
		{
			Name: "imm_data_se", Note: "with solicited event",
			Wire:    unhex("001a 41 49 00000000 00000000 00000002 00000000 0102030405060708 34416a7a"),
			Segment: iwarp.Segment{Op: iwarp.OpImmediateSE, Last: true, MSN: 2},
			Message: uint64(0x0102030405060708),
		},
		{
			Name: "atomic_fetchadd", Note: "adds 1 to 64 bits",
			Wire: unhex(`
				0046 41 4a 00000000 00000001 00000002 00000000 00000000 11223344 00abcd02 0000000000002000
				0000000000000001 0000000000000000 0000000000000000 0000000000000000 71bdcaa2
			`),
			Segment: iwarp.Segment{Op: iwarp.OpAtomicRequest, Last: true, QN: 1, MSN: 2},
			Message: iwarp.AtomicRequest{
				Op: iwarp.AtomicFetchAdd, ID: 0x11223344, STag: 0xabcd02, TO: 0x2000, Operand: 1,
			},
		},
		{
			Name: "atomic_cmpswap", Note: "all bits compared, all bits swapped",
			Wire: unhex(`
				0046 41 4a 00000000 00000001 00000003 00000000 00000002 11223345 00abcd02 0000000000002008
				deadbeef00000001 ffffffffffffffff 0000000000000007 ffffffffffffffff f638c13f
			`),
			Segment: iwarp.Segment{Op: iwarp.OpAtomicRequest, Last: true, QN: 1, MSN: 3},
			Message: iwarp.AtomicRequest{
				Op: iwarp.AtomicCompareSwap, ID: 0x11223345, STag: 0xabcd02, TO: 0x2008, Operand: 0xdeadbeef00000001, Mask: 0xffffffffffffffff, Compare: 7, CompareMask: 0xffffffffffffffff,
			},
		},
		{
			Name: "atomic_resp", Note: "the value before it was 41",
			Wire:    unhex("001e 41 4b 00000000 00000003 00000001 00000000 11223344 0000000000000029 54c79053"),
			Segment: iwarp.Segment{Op: iwarp.OpAtomicResponse, Last: true, QN: 3, MSN: 1},
			Message: iwarp.AtomicResponse{ID: 0x11223344, Original: 41},
		},
	}
}
