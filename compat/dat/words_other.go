package dat

var halbWords = words[HALB]{
	{HALBNone, "DAT_HA_LB_NONE"},
	{HALBIntercomm, "DAT_HA_LB_INTERCOMM"},
	{HALBIntracomm, "DAT_HA_LB_INTRACOMM"},
}

// String gives the name of the value as C spells it.
func (v HALB) String() string { return halbWords.one(v) }
