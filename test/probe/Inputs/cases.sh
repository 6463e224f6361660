# usage: cases.sh PROBE INPUTS TEST SCRATCH PART... -- CASE...
# For each CASE: a trace of the prelude, the PARTs, and the CASE, which
# split-file has created in SCRATCH, and the probe's report of it, checked
# against TEST with CASE as prefix.
probe=$1 inputs=$2 test=$3 scratch=$4
shift 4
parts=
while [ "$1" != -- ]; do
  parts="$parts $scratch/$1"
  shift
done
shift
for case; do
  mkdir -p "$scratch/$case.d" || exit 1
  cat "$inputs/prelude.jsonl" $parts "$scratch/$case" > "$scratch/$case.d/1.jsonl" || exit 1
  "$probe" report --symbols "$inputs/symbols.json" "$scratch/$case.d" > "$scratch/$case.txt" || exit 1
  FileCheck "$test" --check-prefix="$case" < "$scratch/$case.txt" || exit 1
done
