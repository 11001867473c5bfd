//go:build !race && !godapl_noasm

#include "textflag.h"

// func StoreByte(p *byte, v byte)
TEXT ·StoreByte(SB), NOSPLIT, $0-9
	MOVD  p+0(FP), R0
	MOVBU v+8(FP), R1
	STLRB R1, (R0)
	RET
