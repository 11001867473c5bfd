//go:build !race && !godapl_noasm

#include "textflag.h"

// func StoreByte(p *byte, v byte)
TEXT ·StoreByte(SB), NOSPLIT, $0-9
	MOVQ p+0(FP), AX
	MOVB v+8(FP), BX
	MOVB BX, (AX)
	RET
