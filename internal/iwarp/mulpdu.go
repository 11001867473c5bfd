package iwarp

// MinMULPDU is the least that MULPDU gives: a connection with smaller segments
// gets FPDUs that span several.
const MinMULPDU = 128

// MULPDU is the longest ULPDU whose FPDU fits into one TCP segment of emss bytes (RFC
// 5044, 4.5), so that a hardware receiver finds an FPDU at the start of each segment.
// markers reports whether the peer wants markers.
func MULPDU(emss int, markers bool) int {
	n := emss - (LengthSize + CRCSize) - emss%4
	limit := MaxULPDU
	if markers {
		n -= MarkerSize * ((emss + MarkerSpacing - 1) / MarkerSpacing)
		limit = MaxMarkedULPDU
	}
	return min(max(n, MinMULPDU), limit)
}

// TaggedPayload is the payload of a tagged segment of mulpdu bytes.
func TaggedPayload(mulpdu int) int { return mulpdu - TaggedHeaderSize }

// UntaggedPayload is the payload of an untagged segment of mulpdu bytes.
func UntaggedPayload(mulpdu int) int { return mulpdu - UntaggedHeaderSize }
