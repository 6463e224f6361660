// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the search work in pages that are opened as files, where a browser
// neither fetches the index nor starts a worker from a file. hooks.py writes the
// index as a script, and this runs the worker's script in a frame.

if (location.protocol === "file:") {
  const root = new URL("..", document.currentScript.src);
  const load = (page, url) =>
    new Promise((resolve, reject) => {
      const script = page.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = reject;
      (page.body || page.head).append(script);
    });

  window.__search = {
    index: load(document, new URL("search/search_index.js", root)).then(() => window.searchIndex),
  };
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const scope = frame.contentWindow;
      scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const ready = load(scope.document, url);
      this.postMessage = (data) =>
        ready.then(() => scope.dispatchEvent(new scope.MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
