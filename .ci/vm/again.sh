# For the scripts beside this one: again runs a test program, and what failed in it once more, up to three tests by
# themselves. A slow guest can make a test fail, and the whole script would take minutes. What passes then has a line
# that begins with UNSTEADY. What slow.sh rejects and a second failure are failures at once, and so is everything with
# REQUIRE=1.
#
# The program runs from memory: out of the folder of the host its pages come slowly, and some start themselves often.
#
#     . ./again.sh
#     again ./rdma.test -test.timeout 600s
again() {
	local program="/tmp/${1##*/}"
	cp "$1" "$program"
	shift
	set -- "$program" "$@"
	rm -f passed
	{ "$@" && : >passed; } 2>&1 | tee log
	[ -e passed ] || once_more "$@"
}

once_more() {
	[ -z "$REQUIRE" ] || return 1
	sh ./slow.sh log || return 1
	# A test comes after its parts in this order, and is left out.
	sed -n 's/^ *--- FAIL: \([^ ]*\) .*/\1/p' log | LC_ALL=C sort -ru | awk 'index(last, $0 "/") != 1 { print; last = $0 }' >failed
	[ -s failed ] && [ "$(wc -l <failed)" -le 3 ] || return 1
	while read -r name; do
		pattern=$(echo "$name" | sed 's/[^A-Za-z0-9_/]/./g; s|/|$/^|g; s/^/^/; s/$/$/')
		if ! "$@" -test.v -test.run "$pattern" </dev/null >log 2>&1 || ! grep -qF -- "--- PASS: $name " log; then
			cat log
			echo "FAIL: twice: $name"
			return 1
		fi
		echo "UNSTEADY: failed once and passed when run again, in the guest: $name"
	done <failed
}
