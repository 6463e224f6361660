void f() {
  one();
  two();
  three();
  four();
  five();
  six();
}
