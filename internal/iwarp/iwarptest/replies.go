package iwarptest

import "github.com/godapl/godapl/internal/iwarp"

// replies are reply frames.
func replies() []Frame {
	return []Frame{
		{
			Name: "mpa_rep_rev1_crc", Note: "accepts", Reply: true,
			Wire: unhex("4d504120494420526570204672616d65 40 01 0000"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision1, CRC: true,
			},
		},
		{
			Name: "mpa_rep_rev2_write_rtr", Note: "accepts, and picks the Write", Reply: true,
			Wire: unhex("4d504120494420526570204672616d65 50 02 0004 8010 8010"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite, IRD: 16, ORD: 16,
			},
		},
		{
			Name: "mpa_rep_rev2_read_rtr", Note: "accepts, and picks the Read", Reply: true,
			Wire: unhex("4d504120494420526570204672616d65 50 02 0004 8010 4010"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRRead, IRD: 16, ORD: 16,
			},
		},
		{
			Name: "mpa_rep_rev2_client_server", Note: "accepts what siw sends by default", Reply: true,
			Wire: unhex("4d504120494420526570204672616d65 10 02 0004 0001 0001"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, Enhanced: true, IRD: 1, ORD: 1,
			},
		},
		{
			Name: "mpa_rep_rev1_reject", Note: "rejects with private data", Reply: true,
			Wire: unhex("4d504120494420526570204672616d65 60 01 0002 6e6f"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision1, CRC: true, Reject: true, Private: unhex("6e6f"),
			},
		},
		{
			Name: "mpa_rep_rev2_reject", Note: "rejects with enhanced block and private data", Reply: true,
			Wire: unhex("4d504120494420526570204672616d65 70 02 0006 8010 8010 6e6f"),
			Frame: iwarp.Frame{
				Revision: iwarp.Revision2, CRC: true, Reject: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite, IRD: 16, ORD: 16, Private: unhex("6e6f"),
			},
		},
	}
}
