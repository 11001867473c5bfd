# Reports whether the output of a failure shows none that too little time cannot cause. A data race, a panic, a leak, a
# test that hangs and a completion that comes twice are failures at once.
#
#     sh slow.sh FILE...
! grep -qE '^(\[h2\] )?(WARNING: DATA RACE|panic:|fatal error:|unexpected fault)|goleak|test timed out| twice|other bytes' "$@"
