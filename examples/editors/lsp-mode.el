;;; Emacs, with lsp-mode: cudagraph-clangd instead of clangd.

(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . c++-mode))
(setq lsp-clients-clangd-executable "cudagraph-clangd"
      lsp-clients-clangd-args '("--header-insertion=never"))
(add-hook 'c-mode-common-hook #'lsp-deferred)
