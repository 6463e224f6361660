;;; Emacs, with Eglot (built in since 29): cudagraph-clangd instead of clangd.
;;; M-x eglot starts it, M-x flymake-show-buffer-diagnostics lists the findings,
;;; M-x eglot-code-actions offers the quick fixes.

(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . c++-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((c-mode c++-mode c-ts-mode c++-ts-mode) "cudagraph-clangd")))
