#include "textflag.h"

GLOBL ·withErrnoAddr(SB), NOPTR|RODATA, $8
DATA ·withErrnoAddr(SB)/8, $withErrno<>(SB)

// withErrno is a C function of seven arguments: a function to call, five
// arguments for it, and __errno_location. It sets errno to zero, makes the call
// and returns the call's value in R0 and errno in R1.
//
// R19, which a C function must preserve, holds the address of errno.
TEXT withErrno<>(SB), NOSPLIT|NOFRAME, $0-0
	SUB  $80, RSP
	STP  (R29, R30), (RSP)
	MOVD RSP, R29
	MOVD R19, 16(RSP)
	STP  (R0, R1), 32(RSP)
	STP  (R2, R3), 48(RSP)
	STP  (R4, R5), 64(RSP)
	BL   (R6)
	MOVD R0, R19
	MOVW ZR, (R19)

	LDP 32(RSP), (R9, R0)
	LDP 48(RSP), (R1, R2)
	LDP 64(RSP), (R3, R4)
	BL  (R9)

	MOVWU (R19), R1
	MOVD  16(RSP), R19
	LDP   (RSP), (R29, R30)
	ADD   $80, RSP
	RET
