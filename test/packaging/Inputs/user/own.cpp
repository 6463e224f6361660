#include <cudagraph/annotations.h>
#include <cudagraph/probe.h>

int main() {}
