package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// terminates are Terminates, in the form of the RFC and in that of siw.
func terminates() []FPDU {
	return []FPDU{
		{
			Name: "term_mpa_crc", Note: "no header parts",
			Wire:    unhex("0016 41 47 00000000 00000002 00000001 00000000 20 02 0000 7fe42585"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(2, 0, 2),
				Raw:   [4]byte(unhex("20020000")),
			},
		},
		{
			Name: "term_mpa_insufficient_ird", Note: "from an initiator, about the reply", Startup: true,
			Wire:    unhex("0016 41 47 00000000 00000002 00000001 00000000 20 06 0000 6540fb1b"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(2, 0, 6),
				Raw:   [4]byte(unhex("20060000")),
			},
		},
		{
			Name: "term_mpa_no_rtr", Note: "from an initiator, about the reply", Startup: true,
			Wire:    unhex("0016 41 47 00000000 00000002 00000001 00000000 20 07 0000 1bd2babe"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(2, 0, 7),
				Raw:   [4]byte(unhex("20070000")),
			},
		},
		{
			Name: "term_rdmap_unexpected_opcode", Note: "about an untagged segment",
			Wire: unhex(`
				002a 41 47 00000000 00000002 00000001 00000000 02 06 c000 0017 41 43 00000000 00000000 00000009 00000000
				609e4afe
			`),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(0, 2, 6), HasLength: true, SegmentLength: 23,
				DDP: unhex("414300000000000000000000000900000000"),
				Raw: [4]byte(unhex("0206c000")),
			},
		},
		{
			Name: "term_rdmap_local_catastrophic", Note: "no header parts",
			Wire:    unhex("0016 41 47 00000000 00000002 00000001 00000000 00 00 0000 f9a26f1d"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(0, 0, 0),
				Raw:   [4]byte(unhex("00000000")),
			},
		},
		{
			Name: "term_ddp_tagged_bounds", Note: "about a tagged segment",
			Wire:    unhex("0026 41 47 00000000 00000002 00000001 00000000 11 01 c000 0013 c1 40 00012345 1122334455667788 32bed3ee"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(1, 1, 1), HasLength: true, SegmentLength: 19,
				DDP: unhex("c140000123451122334455667788"),
				Raw: [4]byte(unhex("1101c000")),
			},
		},
		{
			Name: "term_ddp_untagged_nobuf", Note: "about an untagged segment",
			Wire: unhex(`
				002a 41 47 00000000 00000002 00000001 00000000 12 02 c000 0017 41 43 00000000 00000000 00000009 00000000
				0a2c42a9
			`),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(1, 2, 2), HasLength: true, SegmentLength: 23,
				DDP: unhex("414300000000000000000000000900000000"),
				Raw: [4]byte(unhex("1202c000")),
			},
		},
		{
			Name: "term_rdmap_protection_read", Note: "about a Read Request, with all the parts there are",
			Wire: unhex(`
				0046 41 47 00000000 00000002 00000001 00000000 01 02 e000 002e 41 41 00000000 00000001 00000001 00000000
				aabbcc01 00007f0000001000 00000040 00abcd02 00007f0000002000 a6fa17ad
			`),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(0, 1, 2), HasLength: true, SegmentLength: 46,
				DDP:         unhex("414100000000000000010000000100000000"),
				ReadRequest: unhex("aabbcc0100007f00000010000000004000abcd0200007f0000002000"),
				Raw:         [4]byte(unhex("0102e000")),
			},
		},
		{
			Name: "term_siw_le_ddp_tagged_bounds", Note: "as siw writes it: flags at the low end, and a length of the payload only",
			Wire:    unhex("0026 41 47 00000000 00000002 00000001 00000000 11 01 0300 0005 c1 40 00012345 1122334455667788 0a6254b6"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(1, 1, 1), HasLength: true, SegmentLength: 5,
				DDP: unhex("c140000123451122334455667788"),
				Raw: [4]byte(unhex("11010300")), SIW: true,
			},
		},
		{
			Name: "term_siw_le_mpa_crc", Note: "as siw writes it: nibbles exchanged",
			Wire:    unhex("0016 41 47 00000000 00000002 00000001 00000000 02 02 0000 75d367ed"),
			Segment: iwarp.Segment{Op: iwarp.OpTerminate, Last: true, QN: 2, MSN: 1},
			Message: iwarp.Terminate{
				Cause: iwarp.MakeCause(2, 0, 2),
				Raw:   [4]byte(unhex("02020000")), SIW: true,
			},
		},
	}
}
