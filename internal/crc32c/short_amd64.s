#include "textflag.h"

// func updateShort(sum uint32, p []byte) uint32
TEXT ·updateShort(SB), NOSPLIT, $0-36
	MOVL sum+0(FP), AX
	NOTL AX
	MOVQ p_base+8(FP), SI
	MOVQ p_len+16(FP), CX
	MOVQ CX, DX
	SHRQ $3, DX
	JZ   tail

eights:
	CRC32Q (SI), AX
	ADDQ $8, SI
	DECQ DX
	JNZ  eights

tail:
	TESTQ $4, CX
	JZ    two
	CRC32L (SI), AX
	ADDQ  $4, SI

two:
	TESTQ $2, CX
	JZ    one
	CRC32W (SI), AX
	ADDQ  $2, SI

one:
	TESTQ $1, CX
	JZ    done
	CRC32B (SI), AX

done:
	NOTL AX
	MOVL AX, ret+32(FP)
	RET
