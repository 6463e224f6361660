// A guard queries one stream, and the guarded code waits for the whole device:
// a capture of any other stream also refuses that wait.

// RUN: %check %s cudagraph-sync-call --roots=function:^check

cudaStream_t currentStream();
bool anyCapture();
void checkOne() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(currentStream(), &status);
  if (status == cudaStreamCaptureStatusNone)
    (void)cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaDeviceSynchronize' waits for all work on the device
  // CHECK-NOTES: :[[@LINE-2]]:11: note: the guard queries one stream; check whether any stream of the device is capturing
}
bool isCapturing(cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(s, &status);
  return status == cudaStreamCaptureStatusActive;
}
void checkThroughHelper() {
  if (!isCapturing(currentStream()))
    (void)cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaDeviceSynchronize' waits for all work on the device
}

// Legal twins: the wait is for the stream that the guard queries, or the guard
// covers all streams.
void checkStream(cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
    (void)cudaStreamSynchronize(s);
}
void checkStreamThroughHelper(cudaStream_t s) {
  if (!isCapturing(s))
    (void)cudaStreamSynchronize(s);
}
