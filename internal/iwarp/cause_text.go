package iwarp

import "fmt"

// String names the cause, and ends with its numbers: layer, type and code.
func (c Cause) String() string {
	text := c.text()
	switch {
	case text == "":
		text = ": unknown error"
	case text != localText:
		text = ": " + text
	}
	return fmt.Sprintf("%s%s (%d/%d/0x%02x)", c.group(), text, c.Layer(), c.EType(), c.Code())
}

// localText is the text of a cause that its type describes completely.
const localText = " local catastrophic"

// group returns the text for layer and type.
func (c Cause) group() string {
	switch c.Layer() {
	case LayerRDMAP:
		switch c.EType() {
		case ETypeProtection:
			return "RDMAP remote protection"
		case ETypeOperation:
			return "RDMAP remote operation"
		}
		return "RDMAP"
	case LayerDDP:
		switch c.EType() {
		case ETypeTagged:
			return "DDP tagged buffer"
		case ETypeUntagged:
			return "DDP untagged buffer"
		}
		return "DDP"
	case LayerLLP:
		if c.EType() == ETypeMPA {
			return "MPA"
		}
		return "LLP"
	}
	return "unknown layer"
}

// text returns the text for the code; "" if it is unknown.
func (c Cause) text() string {
	switch c {
	case CauseRDMAPLocal, CauseDDPLocal:
		return localText
	case CauseProtSTag, CauseTaggedSTag:
		return "invalid STag"
	case CauseProtBounds, CauseTaggedBounds:
		return "base or bounds violation"
	case CauseProtAccess:
		return "access rights violation"
	case CauseProtStream, CauseTaggedStream:
		return "STag not associated with the stream"
	case CauseProtWrap, CauseTaggedWrap:
		return "TO wrap"
	case CauseProtInvalidate, CauseOpInvalidate:
		return "STag cannot be invalidated"
	case CauseProtUnspecified, CauseOpUnspecified:
		return "unspecified error"
	case CauseOpVersion:
		return "invalid RDMAP version"
	case CauseOpUnexpected:
		return "unexpected opcode"
	case CauseOpStream:
		return "catastrophic error of the stream"
	case CauseOpGlobal:
		return "catastrophic error of all streams"
	case CauseTaggedVersion, CauseUntaggedVersion:
		return "invalid DDP version"
	case CauseUntaggedQN:
		return "invalid QN"
	case CauseUntaggedNoBuffer:
		return "invalid MSN, no buffer available"
	case CauseUntaggedMSN:
		return "invalid MSN, out of range"
	case CauseUntaggedMO:
		return "invalid MO"
	case CauseUntaggedLong:
		return "message too long for the buffer"
	case CauseMPAClosed:
		return "connection lost"
	case CauseMPACRC:
		return "CRC mismatch"
	case CauseMPAMarker:
		return "marker and length field disagree"
	case CauseMPAFrame:
		return "invalid request or reply frame"
	case CauseMPALocal:
		return "local catastrophic"
	case CauseMPAIRD:
		return "insufficient IRD"
	case CauseMPARTR:
		return "no matching RTR"
	}
	return ""
}
