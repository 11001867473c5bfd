#include "textflag.h"

// FIRST loads the first 256 bytes at SI into Z0 to Z3, and adds the sum so far,
// in AX.
#define FIRST \
	VMOVD AX, X4; \
	VMOVDQU64 (SI), Z0; \
	VMOVDQU64 64(SI), Z1; \
	VMOVDQU64 128(SI), Z2; \
	VMOVDQU64 192(SI), Z3; \
	VPXORQ Z4, Z0, Z0; \
	VBROADCASTI32X4 (DX), Z5

// FOLD shifts Z0 to Z3 over the distance of 256 bytes, and adds the next 256 bytes,
// at SI.
#define FOLD \
	VPCLMULQDQ $0x00, Z5, Z0, Z6; \
	VPCLMULQDQ $0x00, Z5, Z1, Z7; \
	VPCLMULQDQ $0x00, Z5, Z2, Z8; \
	VPCLMULQDQ $0x00, Z5, Z3, Z9; \
	VPCLMULQDQ $0x11, Z5, Z0, Z0; \
	VPCLMULQDQ $0x11, Z5, Z1, Z1; \
	VPCLMULQDQ $0x11, Z5, Z2, Z2; \
	VPCLMULQDQ $0x11, Z5, Z3, Z3; \
	VPTERNLOGQ $0x96, (SI), Z6, Z0; \
	VPTERNLOGQ $0x96, 64(SI), Z7, Z1; \
	VPTERNLOGQ $0x96, 128(SI), Z8, Z2; \
	VPTERNLOGQ $0x96, 192(SI), Z9, Z3

// REDUCE folds the four into the last, 64 bytes apart, and its four lanes into the
// last, 16 bytes apart. The CRC of these 16 bytes is that of all: BX.
#define REDUCE \
	VBROADCASTI32X4 16(DX), Z5; \
	VPCLMULQDQ $0x00, Z5, Z0, Z6; \
	VPCLMULQDQ $0x11, Z5, Z0, Z0; \
	VPTERNLOGQ $0x96, Z6, Z0, Z1; \
	VPCLMULQDQ $0x00, Z5, Z1, Z6; \
	VPCLMULQDQ $0x11, Z5, Z1, Z1; \
	VPTERNLOGQ $0x96, Z6, Z1, Z2; \
	VPCLMULQDQ $0x00, Z5, Z2, Z6; \
	VPCLMULQDQ $0x11, Z5, Z2, Z2; \
	VPTERNLOGQ $0x96, Z6, Z2, Z3; \
	VMOVDQU 32(DX), X5; \
	VEXTRACTI32X4 $1, Z3, X0; \
	VEXTRACTI32X4 $2, Z3, X1; \
	VEXTRACTI32X4 $3, Z3, X2; \
	VPCLMULQDQ $0x00, X5, X3, X6; \
	VPCLMULQDQ $0x11, X5, X3, X3; \
	VPXOR X6, X0, X0; \
	VPXOR X3, X0, X0; \
	VPCLMULQDQ $0x00, X5, X0, X6; \
	VPCLMULQDQ $0x11, X5, X0, X0; \
	VPXOR X6, X1, X1; \
	VPXOR X0, X1, X1; \
	VPCLMULQDQ $0x00, X5, X1, X6; \
	VPCLMULQDQ $0x11, X5, X1, X1; \
	VPXOR X6, X2, X2; \
	VPXOR X1, X2, X2; \
	VMOVQ   X2, AX; \
	VPEXTRQ $1, X2, CX; \
	XORL    BX, BX; \
	CRC32Q  AX, BX; \
	CRC32Q  CX, BX

// func fold(sum uint32, p []byte, k *[7]uint64) uint32
TEXT ·fold(SB), NOSPLIT, $0-44
	MOVL sum+0(FP), AX
	MOVQ p_base+8(FP), SI
	MOVQ p_len+16(FP), CX
	MOVQ k+32(FP), DX
	FIRST
	ADDQ $256, SI
	SUBQ $256, CX
	JZ   reduce

loop:
	FOLD
	ADDQ $256, SI
	SUBQ $256, CX
	JNZ  loop

reduce:
	REDUCE
	VZEROUPPER
	MOVL BX, ret+40(FP)
	RET

// FORTY sums 40 bytes of each of three pieces, which begin at R8, R8+R9 and R8+2*R9.
#define FORTY \
	CRC32Q (R8), R11; \
	CRC32Q (R8)(R9*1), R12; \
	CRC32Q (R8)(R9*2), R13; \
	CRC32Q 8(R8), R11; \
	CRC32Q 8(R8)(R9*1), R12; \
	CRC32Q 8(R8)(R9*2), R13; \
	CRC32Q 16(R8), R11; \
	CRC32Q 16(R8)(R9*1), R12; \
	CRC32Q 16(R8)(R9*2), R13; \
	CRC32Q 24(R8), R11; \
	CRC32Q 24(R8)(R9*1), R12; \
	CRC32Q 24(R8)(R9*2), R13; \
	CRC32Q 32(R8), R11; \
	CRC32Q 32(R8)(R9*1), R12; \
	CRC32Q 32(R8)(R9*2), R13

// APPEND appends a piece with the CRC sum to the data with the CRC BX; X5 is the factor
// that shifts BX over the length of the piece.
#define APPEND(sum) \
	VMOVD BX, X0; \
	VPCLMULQDQ $0x00, X5, X0, X0; \
	VMOVQ X0, AX; \
	XORL BX, BX; \
	CRC32Q AX, BX; \
	XORL sum, BX

// func interleave(sum uint32, p *byte, rounds uint64, k *[7]uint64) uint32
//
// The first 256 bytes and 256 more per round are folded; after them, three pieces of 40
// bytes per round are summed by the CRC instruction. Different
// parts of the processor do the two, so they run in parallel.
TEXT ·interleave(SB), NOSPLIT, $0-36
	MOVL sum+0(FP), AX
	MOVQ p+8(FP), SI
	MOVQ rounds+16(FP), CX
	MOVQ k+24(FP), DX
	MOVQ CX, R8
	SHLQ $8, R8
	LEAQ 256(SI)(R8*1), R8
	LEAQ (CX)(CX*4), R9
	SHLQ $3, R9
	XORL R11, R11
	XORL R12, R12
	XORL R13, R13
	FIRST

round:
	ADDQ $256, SI
	FOLD
	FORTY
	ADDQ $40, R8
	DECQ CX
	JNZ  round

	REDUCE
	VMOVQ 48(DX), X5
	APPEND(R11)
	APPEND(R12)
	APPEND(R13)
	VZEROUPPER
	MOVL BX, ret+32(FP)
	RET
