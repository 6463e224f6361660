// Clang's parser recurses into each operator and runs out of stack.
#define TEN(X) X X X X X X X X X X
bool deep = TEN(TEN(TEN(TEN(TEN(TEN(!)))))) 1;
