package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// sends are all kinds of Sends.
func sends() []FPDU {
	return []FPDU{
		{
			Name: "send_5", Note: "the first Send of a connection",
			Wire:    unhex("0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10c"),
			Segment: iwarp.Segment{Op: iwarp.OpSend, Last: true, MSN: 1, Payload: unhex("68656c6c6f")},
		},
		{
			Name: "send_zero", Note: "empty, but takes a receive",
			Wire:    unhex("0012 41 43 00000000 00000000 00000002 00000000 accbdb8c"),
			Segment: iwarp.Segment{Op: iwarp.OpSend, Last: true, MSN: 2},
		},
		{
			Name: "send_inv", Note: "one byte of pad",
			Wire: unhex("0019 41 44 00abcd02 00000000 00000003 00000000 70696e67706f6e 00 ee9c4578"),
			Segment: iwarp.Segment{
				Op: iwarp.OpSendInv, Last: true, InvSTag: 0xabcd02, MSN: 3,
				Payload: unhex("70696e67706f6e"),
			},
		},
		{
			Name: "send_se", Note: "two bytes of pad",
			Wire:    unhex("0014 41 45 00000000 00000000 00000004 00000000 7069 0000 c5f05f89"),
			Segment: iwarp.Segment{Op: iwarp.OpSendSE, Last: true, MSN: 4, Payload: unhex("7069")},
		},
		{
			Name: "send_se_inv", Note: "no pad",
			Wire: unhex("0016 41 46 00abcd02 00000000 00000005 00000000 70696e67 b587e03f"),
			Segment: iwarp.Segment{
				Op: iwarp.OpSendSEInv, Last: true, InvSTag: 0xabcd02, MSN: 5,
				Payload: unhex("70696e67"),
			},
		},
		{
			Name: "send_2seg_first", Note: "30 of 40 bytes; a segment in the middle may have pad",
			Wire: unhex(`
				0030 01 43 00000000 00000000 00000006 00000000
				030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ce 0000 dcc6ab27
			`),
			Segment: iwarp.Segment{
				Op: iwarp.OpSend, MSN: 6,
				Payload: unhex("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ce"),
			},
		},
		{
			Name: "send_2seg_last", Note: "the other 10",
			Wire:    unhex("001c 41 43 00000000 00000000 00000006 0000001e d5dce3eaf1f8ff060d14 0000 7c85c925"),
			Segment: iwarp.Segment{Op: iwarp.OpSend, Last: true, MSN: 6, MO: 30, Payload: unhex("d5dce3eaf1f8ff060d14")},
		},
		{
			Name: "send_msn_wrap_max", Note: "the last MSN before the wrap",
			Wire:    unhex("0013 41 43 00000000 00000000 ffffffff 00000000 77 000000 dfbdd443"),
			Segment: iwarp.Segment{Op: iwarp.OpSend, Last: true, MSN: 0xffffffff, Payload: unhex("77")},
		},
		{
			Name: "send_msn_wrap_zero", Note: "the one after it",
			Wire:    unhex("0013 41 43 00000000 00000000 00000000 00000000 77 000000 7df74b97"),
			Segment: iwarp.Segment{Op: iwarp.OpSend, Last: true, Payload: unhex("77")},
		},
		{
			Name: "send_5_nocrc", Note: "a stream without CRC keeps the field", NoCRC: true,
			Wire:    unhex("0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 000000 00000000"),
			Segment: iwarp.Segment{Op: iwarp.OpSend, Last: true, MSN: 1, Payload: unhex("68656c6c6f")},
		},
		{
			Name: "rping_adv", Note: "how rping announces its buffer: address, key, size",
			Wire: unhex("0022 41 43 00000000 00000000 00000001 00000000 000055aa1234000000abcd0200000040 9283ab1b"),
			Segment: iwarp.Segment{
				Op: iwarp.OpSend, Last: true, MSN: 1,
				Payload: unhex("000055aa1234000000abcd0200000040"),
			},
		},
	}
}
