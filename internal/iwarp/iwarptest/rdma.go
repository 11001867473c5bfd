package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// rdma are Writes, Read Requests and Read Responses.
func rdma() []FPDU {
	return []FPDU{
		{
			Name: "rtr_write_zero", Note: "the first FPDU of an initiator: an empty Write whose STag nobody looks up",
			Wire:    unhex("000e c1 40 00000001 0000000000000000 ebd34c5f"),
			Segment: iwarp.Segment{Op: iwarp.OpWrite, Tagged: true, Last: true, STag: 1},
		},
		{
			Name: "rtr_read_req_zero", Note: "the first FPDU of an initiator: a Read of nothing",
			Wire: unhex(`
				002e 41 41 00000000 00000001 00000001 00000000 00000000 0000000000000000 00000000 00000001
				0000000000000000 ba10e3c9
			`),
			Segment: iwarp.Segment{Op: iwarp.OpReadRequest, Last: true, QN: 1, MSN: 1},
			Message: iwarp.ReadRequest{SinkSTag: 0, SinkTO: 0, Size: 0, SourceSTag: 1, SourceTO: 0},
		},
		{
			Name: "rtr_read_resp_zero", Note: "the answer to that Read, with its sink",
			Wire:    unhex("000e c1 42 00000000 0000000000000000 6975d6ca"),
			Segment: iwarp.Segment{Op: iwarp.OpReadResponse, Tagged: true, Last: true},
		},
		{
			Name: "write_5", Note: "three bytes of pad",
			Wire: unhex("0013 c1 40 00012345 1122334455667788 68656c6c6f 000000 252fec9f"),
			Segment: iwarp.Segment{
				Op: iwarp.OpWrite, Tagged: true, Last: true, STag: 0x12345, TO: 0x1122334455667788,
				Payload: unhex("68656c6c6f"),
			},
		},
		{
			Name: "write_4", Note: "no pad",
			Wire: unhex("0012 c1 40 00012345 0000000000001000 41424344 558a3402"),
			Segment: iwarp.Segment{
				Op: iwarp.OpWrite, Tagged: true, Last: true, STag: 0x12345, TO: 0x1000,
				Payload: unhex("41424344"),
			},
		},
		{
			Name: "write_2seg_first", Note: "32 of 40 bytes",
			Wire: unhex("002e 81 40 00012345 0000000000002000 030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc 3ce6d973"),
			Segment: iwarp.Segment{
				Op: iwarp.OpWrite, Tagged: true, STag: 0x12345, TO: 0x2000,
				Payload: unhex("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc"),
			},
		},
		{
			Name: "write_2seg_last", Note: "the other 8",
			Wire: unhex("0016 c1 40 00012345 0000000000002020 e3eaf1f8ff060d14 cf33ff8a"),
			Segment: iwarp.Segment{
				Op: iwarp.OpWrite, Tagged: true, Last: true, STag: 0x12345, TO: 0x2020,
				Payload: unhex("e3eaf1f8ff060d14"),
			},
		},
		{
			Name: "read_req", Note: "64 bytes; the first request of a connection",
			Wire: unhex(`
				002e 41 41 00000000 00000001 00000001 00000000 aabbcc01 00007f0000001000 00000040 00abcd02
				00007f0000002000 539ecac6
			`),
			Segment: iwarp.Segment{Op: iwarp.OpReadRequest, Last: true, QN: 1, MSN: 1},
			Message: iwarp.ReadRequest{SinkSTag: 0xaabbcc01, SinkTO: 0x7f0000001000, Size: 64, SourceSTag: 0xabcd02, SourceTO: 0x7f0000002000},
		},
		{
			Name: "read_resp", Note: "the answer, whole",
			Wire: unhex(`
				004e c1 42 aabbcc01 00007f0000001000
				000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
				303132333435363738393a3b3c3d3e3f 139a570c
			`),
			Segment: iwarp.Segment{
				Op: iwarp.OpReadResponse, Tagged: true, Last: true, STag: 0xaabbcc01, TO: 0x7f0000001000,
				Payload: unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"),
			},
		},
		{
			Name: "read_resp_2seg_first", Note: "the answer cut in two: 48 bytes",
			Wire: unhex(`
				003e 81 42 aabbcc01 00007f0000001000
				000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
				f107fc6f
			`),
			Segment: iwarp.Segment{
				Op: iwarp.OpReadResponse, Tagged: true, STag: 0xaabbcc01, TO: 0x7f0000001000,
				Payload: unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"),
			},
		},
		{
			Name: "read_resp_2seg_last", Note: "the other 16",
			Wire: unhex("001e c1 42 aabbcc01 00007f0000001030 303132333435363738393a3b3c3d3e3f 6e4da1d2"),
			Segment: iwarp.Segment{
				Op: iwarp.OpReadResponse, Tagged: true, Last: true, STag: 0xaabbcc01, TO: 0x7f0000001030,
				Payload: unhex("303132333435363738393a3b3c3d3e3f"),
			},
		},
	}
}
