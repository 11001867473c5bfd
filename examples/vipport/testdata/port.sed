# What a search-and-replace does for a C program: sed -E -z -f port.sed (GNU sed). First names, by
# the rule of the package comment; then keywords, braces, parentheses and declarations.
s/\bVIP_TRUE\b/true/g; s/\bVIP_FALSE\b/false/g; s/\bVIP_BOOLEAN\b/bool/g; s/\bNULL\b/nil/g; s/\bVIP_(\w+)/vipl.\L\1/g
:word; s/(vipl\.\w*)_(\w)/\1\u\2/; tword; s/\bvipl\.([a-z])/vipl.\u\1/g
:capitals; s/(vipl\.\w*)(Cq|Mtu|Nic|Ns|Qos|Rdma|Vi)(\b|[A-Z])/\1\U\2\E\3/; tcapitals; s/([^"])\bVip([A-Z])/\1vipl.\2/g
s/\n#define (\w+) /\nconst \1 = /g; s/->/./g; s/\.(Local|Remote)\.Data\.\w+/.\1.Data/g; s/\.Remote\./.Remote()./g; s/;//g; s/\bstatic //g; s/\n\{/ {/g; s/\(void\)/()/g; s/\nvoid /\nfunc /g
:if; s/\n(\t+)if \(([^\n]*)\)\n([^\n]*)\n/\n\1if \2 {\n\3\n\1}\n/; tif; s/\n(\t+)else\n([^\n]*)\n/\n\1else {\n\2\n\1}\n/g
s/\n(\t+)(if|while|switch) \(([^\n]*)\) \{\n/\n\1\2 \3 {\n/g; s/\n(\t+)while /\n\1for /g; s/\}\n\t+else/} else/g
:var; s/\n(\t*)(vipl\.\w+|bool|int) (\**)(\w+)\n/\n\1var \4 \3\2\n/; tvar; s/\n(\t*)(\w+\.\w+ \**|int )(\w+ = )/\n\1var \3/g
