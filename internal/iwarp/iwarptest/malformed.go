package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// Malformed returns inputs to refuse, and a few to accept.
func Malformed() []Bad {
	return []Bad{
		{
			Name: "bad_crc", Note: "the last bit of the CRC flipped",
			Wire: unhex("0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 000000 b990b10d"),
			Err:  iwarp.ErrCRC, Want: []string{"2/0/0x02"},
		},
		{
			Name: "bad_pad_without_crc_update", Note: "a pad byte changed, which the CRC covers",
			Wire: unhex("0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 800000 b990b10c"),
			Err:  iwarp.ErrCRC, Want: []string{"2/0/0x02"},
		},
		{
			Name: "nonzero_pad_good_crc", Note: "pad that is not zero, and summed",
			Wire: unhex("0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 010203 ddc1e59d"),
			Want: []string{"accept"},
		},
		{
			Name: "ulpdu_zero", Note: "no ULPDU at all",
			Wire: unhex("0000 0000 c74b6748"),
			Err:  iwarp.ErrULPDULength, Want: []string{"2/0/0x03", "close"},
		},
		{
			Name: "ulpdu_one", Note: "a ULPDU of one byte",
			Wire: unhex("0001 41 00 ca879301"),
			Err:  iwarp.ErrSegmentShort, Want: []string{"1/0/0x00", "close"},
		},
		{
			Name: "tagged_short", Note: "13 bytes of a tagged header",
			Wire: unhex("000d c1 40 00012345 00000000000010 00 c109f716"),
			Err:  iwarp.ErrSegmentShort, Want: []string{"1/0/0x00", "close"},
		},
		{
			Name: "untagged_short", Note: "17 bytes of an untagged header",
			Wire: unhex("0011 41 43 00000000 00000000 00000001 000000 00 80d8490a"),
			Err:  iwarp.ErrSegmentShort, Want: []string{"1/0/0x00", "close"},
		},
		{
			Name: "ddp_version_0_tagged", Note: "DDP of the RDMA Consortium",
			Wire: unhex("0013 c0 40 00012345 0000000000001000 68656c6c6f 000000 10cbe89e"),
			Err:  iwarp.ErrDDPVersionTagged, Want: []string{"1/1/0x04"},
		},
		{
			Name: "ddp_version_2_untagged", Note: "DDP of the future",
			Wire: unhex("0017 42 43 00000000 00000000 00000001 00000000 68656c6c6f 000000 a81c427a"),
			Err:  iwarp.ErrDDPVersionUntagged, Want: []string{"1/2/0x06"},
		},
		{
			Name: "rdmap_version_0", Note: "RDMAP of the RDMA Consortium",
			Wire: unhex("0017 41 03 00000000 00000000 00000001 00000000 68656c6c6f 000000 625bd4a0"),
			Err:  iwarp.ErrRDMAPVersion, Want: []string{"0/2/0x05"},
		},
		{
			Name: "opcode_15", Note: "reserved opcode",
			Wire: unhex("0017 41 4f 00000000 00000000 00000001 00000000 68656c6c6f 000000 d49428c0"),
			Err:  iwarp.ErrOpcode, Want: []string{"0/2/0x06"},
		},
		{
			Name: "write_untagged", Note: "a Write for a queue",
			Wire: unhex("0017 41 40 00000000 00000000 00000001 00000000 68656c6c6f 000000 1eccec7e"),
			Err:  iwarp.ErrOpcodeModel, Want: []string{"0/2/0x06"},
		},
		{
			Name: "send_tagged", Note: "a Send for an STag",
			Wire: unhex("0013 c1 43 00012345 0000000000001000 68656c6c6f 000000 93a3e3d5"),
			Err:  iwarp.ErrOpcodeModel, Want: []string{"0/2/0x06"},
		},
		{
			Name: "send_qn1", Note: "a Send on the queue of requests",
			Wire: unhex("0017 41 43 00000000 00000001 00000001 00000000 68656c6c6f 000000 e64c5553"),
			Err:  iwarp.ErrOpcodeQueue, Want: []string{"0/2/0x06", "1/2/0x01"},
		},
		{
			Name: "send_qn7", Note: "a queue that does not exist",
			Wire: unhex("0017 41 43 00000000 00000007 00000001 00000000 68656c6c6f 000000 d5f3e396"),
			Err:  iwarp.ErrQN, Want: []string{"1/2/0x01"},
		},
		{
			Name: "send_msn_skip", Note: "the first Send has MSN 2",
			Wire: unhex("0017 41 43 00000000 00000000 00000002 00000000 68656c6c6f 000000 16d8c75d"),
			Want: []string{"1/2/0x03"},
		},
		{
			Name: "send_msn_0", Note: "the first Send has MSN 0",
			Wire: unhex("0017 41 43 00000000 00000000 00000000 00000000 68656c6c6f 000000 dca8633c"),
			Want: []string{"1/2/0x03"},
		},
		{
			Name: "send_mo_gap", Note: "the first segment begins at MO 8",
			Wire: unhex("0017 41 43 00000000 00000000 00000001 00000008 68656c6c6f 000000 2e62c2b4"),
			Want: []string{"1/2/0x04"},
		},
		{
			Name: "read_req_not_last", Note: "a Read Request of more than one segment",
			Wire: unhex(`
				002e 01 41 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000004 00000002
				0000000000000000 0a22ef67
			`),
			Err: iwarp.ErrNotLast, Want: []string{"0/2/0x06", "0/0/0x00"},
		},
		{
			Name: "read_req_long", Note: "a Read Request with a byte too many",
			Wire: unhex(`
				002f 41 41 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000004 00000002
				0000000000000000 78 000000 fbb7d96f
			`),
			Err: iwarp.ErrReadLong, Want: []string{"1/2/0x05"},
		},
		{
			Name: "read_req_short", Note: "a Read Request with a byte too few",
			Wire: unhex(`
				002d 41 41 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000004 00000002
				00000000000000 00 7e3f28ec
			`),
			Err: iwarp.ErrReadShort, Want: []string{"0/0/0x00", "close"},
		},
		{
			Name: "read_req_to_wrap", Note: "source offset and size pass the end of 64 bits",
			Wire: unhex(`
				002e 41 41 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000010 00abcd02
				fffffffffffffff8 771b2748
			`),
			Err: iwarp.ErrReadWrap, Want: []string{"0/1/0x04"},
		},
		{
			Name: "write_to_wrap", Note: "offset and payload pass the end of 64 bits",
			Wire: unhex("0013 c1 40 00012345 fffffffffffffffe 68656c6c6f 000000 470a66d2"),
			Err:  iwarp.ErrTOWrap, Want: []string{"1/1/0x03"},
		},
		{
			Name: "read_resp_unsolicited", Note: "a Read Response that nobody asked for",
			Wire: unhex("0013 c1 42 aabbcc01 0000000000001000 68656c6c6f 000000 153f97da"),
			Want: []string{"0/2/0x06", "1/1/0x00"},
		},
		{
			Name: "term_in_two_segments", Note: "a Terminate without the last flag",
			Wire: unhex("0016 01 47 00000000 00000002 00000001 00000000 20 02 0000 b8661cc7"),
			Err:  iwarp.ErrTerminateShape, Want: []string{"close"},
		},
		{
			Name: "mpa_bad_key", Note: "one letter of the key is wrong", Request: true,
			Wire: unhex("4d504120494420527165204672616d65 40 01 0000"),
			Err:  iwarp.ErrKey, Want: []string{"close"},
		},
		{
			Name: "mpa_pd_513", Note: "a byte more private data than allowed", Request: true,
			Wire: append(unhex("4d504120494420526571204672616d65 40 01 0201"), make([]byte, 513)...),
			Err:  iwarp.ErrPrivateLength, Want: []string{"close"},
		},
		{
			Name: "mpa_rev3", Note: "a revision that does not exist", Request: true,
			Wire: unhex("4d504120494420526571204672616d65 40 03 0000"),
			Err:  iwarp.ErrRevision, Want: []string{"close"},
		},
		{
			Name: "mpa_rev2_short_pd", Note: "no room for the enhanced block", Request: true,
			Wire: unhex("4d504120494420526571204672616d65 50 02 0002 0010"),
			Err:  iwarp.ErrRequestPrivateShort, Want: []string{"reject"},
		},
		{
			Name: "mpa_req_is_reply", Note: "a reply where a request is due", Request: true,
			Wire: unhex("4d504120494420526570204672616d65 40 01 0000"),
			Err:  iwarp.ErrKey, Want: []string{"close"},
		},
		{
			Name: "mpa_req_reject_bit", Note: "a request that rejects: the bit is ignored", Request: true,
			Wire: unhex("4d504120494420526571204672616d65 60 01 0000"),
			Want: []string{"accept"},
		},
		{
			Name: "mpa_req_trailing", Note: "an FPDU behind the request, before the reply", Request: true,
			Wire: unhex("4d504120494420526571204672616d65 40 01 0000 000e c1 40 00000001 0000000000000000 ebd34c5f"),
			Want: []string{"close"},
		},
	}
}
