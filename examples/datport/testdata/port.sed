# What a search-and-replace does for a C program: sed -E -z -f port.sed (GNU sed). First names, by
# the rule of the package comment; then keywords, braces, parentheses and declarations.
s/\bDAT_HANDLE_NULL\b/0/g; s/\bDAT_UINT64\b/uint64/g; s/\bNULL\b/nil/g; s/([^"])\b(DAT|dat)_(\w+)/\1dat.\L\3/g; s/->/./g
s/(\w)\.([a-z])/\1.\u\2/g; :word; s/(\.\w*)_(\w)/\1\u\2/; tword
:capitals; s/(\.\w*)(Cno|Cr|Dto|Dtos|Ep|Evd|Ia|Iov|Lmr|Psp|Pz|Qos|Rdma|Rmr|Va)(\b|[A-Z0-9])/\1\U\2\E\3/; tcapitals
s/\b(LMRCreate)\(/\120(/g; s/(rmr\.)VirtualAddress/\1TargetAddress/g; s/;//g; s/\bstatic //g; s/\n\{/ {/g; s/\(void\)/()/g; s/\nvoid /\nfunc /g
s/\n#define (\w+) /\nconst \1 = /g; :if; s/\n(\t+)if \(([^\n]*)\)\n([^\n]*)\n/\n\1if \2 {\n\3\n\1}\n/; tif; s/\n(\t+)else\n([^\n]*)\n/\n\1else {\n\2\n\1}\n/g
s/\n(\t+)(if|while|switch) \(([^\n]*)\) \{\n/\n\1\2 \3 {\n/g; s/\n(\t+)while /\n\1for /g; s/\}\n\t+else/} else/g
:var; s/\n(\t*)(dat\.\w+|int) (\**)(\w+(, \w+)*)\n/\n\1var \4 \3\2\n/; tvar; s/\n(\t*)(dat\.\w+ \**|int )(\w+ = )/\n\1var \3/g
