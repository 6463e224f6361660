# usage: cases.sh CONFIRM PROBE INPUTS TEST SCRATCH PART... -- CASE...
# For each CASE: a trace of the prelude, the PARTs, and the CASE, which
# split-file has created in SCRATCH, its report, and the output of CONFIRM for
# SCRATCH/findings.json with that report, checked against TEST with CASE as
# prefix.
confirm=$1 probe=$2 inputs=$3 test=$4 scratch=$5
shift 5
parts=
while [ "$1" != -- ]; do
  parts="$parts $scratch/$1"
  shift
done
shift
for case; do
  mkdir -p "$scratch/$case.d" || exit 1
  cat "$inputs/prelude.jsonl" $parts "$scratch/$case" > "$scratch/$case.d/1.jsonl" || exit 1
  "$probe" report --format=json --symbols "$inputs/symbols.json" "$scratch/$case.d" > "$scratch/$case.json" || exit 1
  "$confirm" text "$scratch/findings.json" "$scratch/$case.json" > "$scratch/$case.txt"
  FileCheck "$test" --check-prefix="$case" < "$scratch/$case.txt" || { cat "$scratch/$case.txt"; exit 1; }
done
