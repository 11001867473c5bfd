# What a program could do besides, by the form of the lines of C alone. The rules were written for
# examples/vipport, and go behind its port.sed: sed -E -z -f form.sed (GNU sed).
s/\nint main\([^\n]*\)/\nfunc main()/; s/\n\treturn 0\n\}/\n}/; s/\bargv\b/os.Args/g; s/\bargc\b/len(os.Args)/g
s/\n(\w[^\n(]*[ *])(\w+)\(([^\n)]*)\) \{\n/\nfunc \2(\3) \1{\n/g; s/\nfunc (\w+\([^\n]*\)) func \{/\nfunc \1 {/g; s/\n(func [^\n]*\)) (\w+(\.\w+)?) \*\{/\n\1 *\2 {/g
:head; s/\n(func \w+\((@[^\n,)]*, )*)(const )?(struct )?(\w+(\.\w+)?) (\**)(\w+)([,)])/\n\1@\8 \7\5\9/; thead; s/@//g; :string; s/\n(func [^\n]*)\*char\b/\n\1string/; tstring
s/\n(\t+)do \{\n/\n\1for {\n/g; s/\n(\t+)\} while \(([^\n]*) == ([^\n]*)\)\n/\n\1\tif \2 != \3 {\n\1\t\tbreak\n\1\t}\n\1}\n/g
s/if strcmp\(([^\n,]*), ([^\n)]*)\) == 0/if \1 == \2/g; s/\bfprintf\(stderr,/fmt.Fprintf(os.Stderr,/g; s/\bprintf\(/fmt.Printf(/g; s/\bputs\(/fmt.Println(/g; s/\bexit\(/os.Exit(/g; s/%[dx]/%v/g
s/\n(\t+)var (\w+ )= /\n\1\2:= /g; s/\nchar (\w+)\[(\w+)\]/\nvar \1 = make([]byte, \2)/g; s/\nchar \*(\w+)/\nvar \1 []byte/g; s/\n\tmemset\(&(\w+), 0, sizeof \1\)//g
s/\bstrcpy\((\w+) \+ (\w+), /copy(\1[\2:], /g; s/(\w+) != true\b/!\1/g; s/(\.Data) = (\w+) \+ ([^\n]*)\n/\1 = vipl.AddressOf(\2[\3:])\n/g
s/\(vipl\.VIAttributes \*\)//g; s/(vipl\.CreateVi\([^\n]*, )nil, /\10, /g
