;; Prints the diagnostics and a hover that Emacs shows, applies a quick fix, and prints
;; that line. Eglot does not support related locations, so clangd repeats the notes as
;; separate diagnostics.

(defun shown ()
  (sort (seq-filter (lambda (d) (eq (flymake-diagnostic-type d) 'eglot-warning))
                    (flymake-diagnostics))
        (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b)))))

(defun report (count)
  (let ((end (+ (float-time) 120)))
    (while (and (/= (length (shown)) count) (< (float-time) end))
      (accept-process-output nil 0.05)))
  (dolist (d (shown))
    (princ (format "%d: %s\n" (line-number-at-pos (flymake-diagnostic-beg d))
                   (car (split-string (flymake-diagnostic-text d) "\n"))))))

(find-file (pop command-line-args-left))
(let ((inhibit-message t))
  (apply #'eglot (eglot--guess-contact)))
;; In batch mode no timer starts it.
(flymake-mode 1)
(flymake-start)
(report 2)
;; What Eldoc shows with the cursor at the kernel.
(goto-char (flymake-diagnostic-beg (cadr (shown))))
(let* ((answer (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                (eglot--TextDocumentPositionParams)))
       (text (eglot--hover-info (plist-get answer :contents) (plist-get answer :range))))
  (dolist (line (split-string text "\n"))
    (when (string-match-p "legacy stream" line)
      (princ (format "hover: %s\n" line)))))
(let* ((kernel (cadr (shown)))
       (eglot-confirm-server-initiated-edits nil)
       (fix (seq-find (lambda (action) (equal (plist-get action :kind) "quickfix"))
                      (eglot-code-actions (flymake-diagnostic-beg kernel)
                                          (flymake-diagnostic-end kernel)))))
  (princ (format "quick fix: %s\n" (plist-get fix :title)))
  (eglot--apply-workspace-edit (plist-get fix :edit)))
(eglot--signal-textDocument/didChange)
(report 1)
(goto-char (point-min))
(forward-line 21)
(princ (buffer-substring (point) (line-end-position)))
(terpri)
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
