package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// requests are request frames.
func requests() []Frame {
	return []Frame{
		{
			Name: "mpa_req_rev1_plain", Note: "asks for nothing",
			Wire: unhex("4d504120494420526571204672616d65 00 01 0000"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision1,
			},
		},
		{
			Name: "mpa_req_rev1_crc", Note: "asks for CRC",
			Wire: unhex("4d504120494420526571204672616d65 40 01 0000"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision1, CRC: true,
			},
		},
		{
			Name: "mpa_req_rev1_crc_pd", Note: "with private data",
			Wire: unhex("4d504120494420526571204672616d65 40 01 0005 68656c6c6f"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision1, CRC: true, Private: unhex("68656c6c6f"),
			},
		},
		{
			Name: "mpa_req_rev2_siw_default", Note: "the Linux siw driver with its defaults, for a program with depths of 1",
			Wire: unhex("4d504120494420526571204672616d65 10 02 0004 0001 0001"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, Enhanced: true, IRD: 1, ORD: 1,
			},
		},
		{
			Name: "mpa_req_rev2_recommended", Note: "what an initiator of ours sends: CRC, peer-to-peer, Write and Read offered",
			Wire: unhex("4d504120494420526571204672616d65 50 02 0004 8010 c010"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite | iwarp.RTRRead, IRD: 16, ORD: 16,
			},
		},
		{
			Name: "mpa_req_rev2_recommended_pd", Note: "the same with private data behind the enhanced block",
			Wire: unhex("4d504120494420526571204672616d65 50 02 0009 8010 c010 68656c6c6f"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite | iwarp.RTRRead, IRD: 16, ORD: 16, Private: unhex("68656c6c6f"),
			},
		},
		{
			Name: "mpa_req_rev2_read_rtr_only", Note: "one family of hardware offers a Read only",
			Wire: unhex("4d504120494420526571204672616d65 50 02 0004 8020 4020"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRRead, IRD: 32, ORD: 32,
			},
		},
		{
			Name: "mpa_req_rev2_no_negotiation", Note: "depths are left to the programs",
			Wire: unhex("4d504120494420526571204672616d65 50 02 0004 bfff ffff"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite | iwarp.RTRRead, IRD: iwarp.NotNegotiated, ORD: iwarp.NotNegotiated,
			},
		},
		{
			Name: "mpa_req_rev2_max_pd", Note: "as much private data as fits; siw and some hardware take half of it",
			Wire: unhex(`
				4d504120494420526571204672616d65 50 02 0200 8010 c010
				000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f
				303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
				606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f
				909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
				c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef
				f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
				202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f
				505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f
				808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf
				b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf
				e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafb
			`),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite | iwarp.RTRRead, IRD: 16, ORD: 16, Private: ramp(508, 0, 1),
			},
		},
	}
}
