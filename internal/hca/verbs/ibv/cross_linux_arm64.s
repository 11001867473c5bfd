#include "textflag.h"

GLOBL ·crossAddr(SB), NOPTR|RODATA, $8
DATA ·crossAddr(SB)/8, $cross<>(SB)

// cross is a C function of one argument, a crossing: it makes the call that is
// in there, and leaves value and errno there.
//
// R19 and R20, which a C function must preserve, hold the crossing and the
// address of errno.
TEXT cross<>(SB), NOSPLIT|NOFRAME, $0-0
	SUB  $32, RSP
	STP  (R29, R30), (RSP)
	MOVD RSP, R29
	STP  (R19, R20), 16(RSP)
	MOVD R0, R19
	MOVD 48(R19), R9
	CBZ  R9, call
	BL   (R9)
	MOVD R0, R20
	MOVW ZR, (R20)

call:
	LDP  0(R19), (R9, R0)
	LDP  16(R19), (R1, R2)
	LDP  32(R19), (R3, R4)
	BL   (R9)
	MOVD R0, 56(R19)
	MOVD 48(R19), R9
	CBZ  R9, done
	MOVWU (R20), R1
	MOVD R1, 64(R19)

done:
	LDP  16(RSP), (R19, R20)
	LDP  (RSP), (R29, R30)
	ADD  $32, RSP
	MOVD ZR, R0
	RET
