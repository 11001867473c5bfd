package iwarptest

// CRC is a known sum.
type CRC struct {
	Data []byte
	Sum  uint32
	Wire []byte // the field
}

// CRCs are known sums: the usual check value, the examples of iSCSI (RFC 3720,
// B.4) and the sum over nothing.
func CRCs() []CRC {
	return []CRC{
		{unhex("313233343536373839"), 0xe3069283, unhex("839206e3")},
		{unhex("0000000000000000000000000000000000000000000000000000000000000000"), 0x8a9136aa, unhex("aa36918a")},
		{unhex("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"), 0x62a8ab43, unhex("43aba862")},
		{unhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), 0x46dd794e, unhex("4e79dd46")},
		{unhex("1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100"), 0x113fdb5c, unhex("5cdb3f11")},
		{unhex(""), 0x00000000, unhex("00000000")},
	}
}
