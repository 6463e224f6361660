# usage: fresh-clone.sh DRIVER    In a repository that has no compile database.
set -eu
# The clone is not below the build directory, whose database would be found.
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export GIT_CONFIG_GLOBAL="$place/config" GIT_CONFIG_NOSYSTEM=1
printf '[user]\nname = A\nemail = a@example.invalid\n' >config
git init -q project
cd project
echo "#include <cuda_runtime.h>" >old.cpp
git add .
git commit -qm base
echo "== nothing has changed"
"$1" --cuda-path=mock --staged 2>&1 && echo "status $?"
echo "== nothing has changed, for GitLab"
"$1" --quiet --cuda-path=mock --staged --format=gitlab 2>&1 && echo "status $?"
cat >new.cpp <<END
#include <cuda_runtime.h>
cudaError_t capture(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  (void)cudaStreamSynchronize(s);
  return cudaStreamEndCapture(s, graph);
}
END
echo "A text." >new.txt
git add .
echo "== staged"
"$1" --cuda-path=mock --staged 2>&1 || echo "status $?"
git commit -qm change
echo "== committed"
"$1" --cuda-path=mock --diff-base=HEAD~1 2>&1 || echo "status $?"
echo "== a missing database that -p names is an error"
"$1" --cuda-path=mock -p build --diff-base=HEAD~1 2>&1 || echo "status $?"
