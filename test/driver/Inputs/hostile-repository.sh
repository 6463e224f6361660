# usage: hostile-repository.sh DRIVER DIRECTORY    Repositories whose settings
# name commands; each command leaves a line in the file "ran".
set -eu
driver=$1
place=$(mktemp -d) # no database above it
trap 'rm -rf "$place"' EXIT
cd "$place"
export GIT_CONFIG_GLOBAL="$place/config" GIT_CONFIG_NOSYSTEM=1
unset GIT_NO_LAZY_FETCH
printf '[user]\nname = A\nemail = a@example.invalid\n' >config

analyze() {
  status=0
  "$driver" --cuda-path=mock --no-cache "$@" 2>&1 | sed 's/^cudagraph-tidy: error/error/' || true
  "$driver" --cuda-path=mock --no-cache --quiet "$@" >/dev/null 2>&1 || status=$?
  echo "status $status"
}
ran() {
  echo "== ran"
  cat "$place/ran" 2>/dev/null || true
  rm -f "$place/ran"
}
tool() { # a command that leaves NAME
  printf '#!/bin/sh\necho %s >>%s/ran\n%s\n' "$1" "$place" "${2:-exit 1}" >"$place/$1"
  chmod +x "$place/$1"
  echo "$place/$1"
}
source_of() {
  printf 'void %s(cudaStream_t s, cudaGraph_t g) {\n  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n' "$1"
  printf '  %s;\n  cudaStreamEndCapture(s, &g);\n}\n' "$2"
}

git init -q -b main project
cd project
source_of f '' >a.cu
git add .
git commit -qm base
printf '*.cu -diff filter=evil\n*.txt diff=evil\n' >.gitattributes
echo text >b.txt
git add .
git commit -qm attributes
git config core.fsmonitor "$(tool fsmonitor)"
git config core.hooksPath "$place/hooks"
mkdir "$place/hooks"
cp "$(tool hook)" "$place/hooks/post-index-change"
git config diff.external "$(tool external)"
git config diff.evil.command "$(tool command)"
git config diff.evil.textconv "$(tool textconv 'cat "$1"')"
git config filter.evil.clean "$(tool clean cat)"
git config filter.evil.smudge "$(tool smudge cat)"
git config filter.evil.required true
git config core.pager "$(tool pager cat)"
git config diff.orderFile "$place/none"
source_of f 'cudaStreamSynchronize(s)' >a.cu
echo more >>b.txt
echo "== since"
analyze --diff-base=HEAD a.cu --
git -c core.fsmonitor= -c core.hooksPath=/dev/null -c filter.evil.clean=cat add .
sleep 1
touch a.cu b.txt # the index has other times
before=$(sha256sum .git/index)
rm -f "$place/ran"
echo "== staged"
analyze --staged a.cu --
ran
[ "$before" != "$(sha256sum .git/index)" ] || echo "== index unchanged"
echo "== git"
git diff -O/dev/null HEAD >/dev/null 2>&1 || true
git diff -O/dev/null --no-ext-diff HEAD >/dev/null 2>&1 || true
git diff -O/dev/null --no-ext-diff --textconv HEAD >/dev/null 2>&1 || true
sort -u "$place/ran"
rm -f "$place/ran"

echo "== filter"
printf '[filter "a=b"]\n\tclean = %s\n' "$(tool other cat)" >>.git/config
analyze --diff-base=HEAD a.cu --
ran

echo "== partial"
cd "$place"
git init -q -b main whole
source_of f '' >whole/a.cu
git -C whole add .
git -C whole commit -qm base
blob=$(git -C whole rev-parse HEAD:a.cu)
source_of f 'cudaStreamSynchronize(s)' >whole/a.cu
git -C whole commit -qam change
rm -f "whole/.git/objects/${blob%"${blob#??}"}/${blob#??}"
git -C whole config core.repositoryFormatVersion 1
git -C whole config extensions.partialClone origin
git -C whole config remote.origin.promisor true
git -C whole config remote.origin.url ssh://nowhere.invalid/x
git -C whole config core.sshCommand "$(tool ssh)"
cd whole
analyze --diff-base=HEAD~1 a.cu --
ran
cd "$place/project"
git config --remove-section filter.a=b
echo "== reference"
cd "$place/project"
analyze '--diff-base=--upload-pack=touch ran' a.cu --
analyze --diff-base=--output=ran a.cu --
[ ! -e ran ] || echo written
ran

echo "== names"
git init -q -b main "$place/names"
cd "$place/names"
git commit -q --allow-empty -m base
source_of f 'cudaStreamSynchronize(s)' >./-n.cu
source_of g 'cudaStreamSynchronize(s)' >'./:(glob)*.cu'
source_of h 'cudaStreamSynchronize(s)' >./@e.cu
source_of i 'cudaStreamSynchronize(s)' >"line
break.cu"
git add .
analyze --staged
ran
echo "== end"
