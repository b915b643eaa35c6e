;;; ez-mode.el --- Major mode for programs in EZ -*- lexical-binding: t; -*-

;;; Commentary:
;; Colours, indentation, and the language server `ez lsp' for `eglot' (M-x eglot; Emacs 29 and newer have it).

;;; Code:

(defvar ez-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23n" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?` "\"" table)
    (modify-syntax-entry ?_ "_" table)
    table)
  "The syntax of EZ: comments nest, and texts stand between \" or `.")

(defconst ez-mode-syntax-propertize
  (syntax-propertize-rules ("\\('\\)\\(?:[^'\\\n]\\|\\\\[^\n]+?\\)\\('\\)" (1 "\"") (2 "\"")))
  "Marks characters such as '{', whose quotation marks are no delimiters elsewhere.")

(defconst ez-mode-keywords
  '("if" "or" "otherwise" "when" "is" "default" "for" "for_each" "as_long_as" "loop" "break" "continue" "range"
    "in" "not_in" "return" "ensure" "import" "using" "use" "from" "module" "do" "temp" "const" "private" "struct"
    "enum" "new" "cast")
  "Words with a meaning of their own.")

(defconst ez-mode-types
  '("int" "i8" "i16" "i32" "i64" "i128" "i256" "uint" "u8" "u16" "u32" "u64" "u128" "u256" "float" "f32" "f64"
    "string" "bool" "char" "byte" "any" "map" "Error")
  "The types of the language.")

(defconst ez-mode-font-lock
  `((,(regexp-opt ez-mode-keywords 'symbols) . font-lock-keyword-face)
    (,(regexp-opt ez-mode-types 'symbols) . font-lock-type-face)
    (,(regexp-opt '("true" "false" "nil") 'symbols) . font-lock-constant-face)
    ("#\\(?:suppress\\|strict\\|flags\\|enum\\|doc\\)\\_>" . font-lock-preprocessor-face)
    ("@[A-Za-z_][A-Za-z0-9_]*" . font-lock-constant-face)
    ("\\_<do\\s-+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-function-name-face)
    ("\\_<\\(?:temp\\|const\\)\\s-+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-variable-name-face))
  "Colours for `ez-mode'.")

(defun ez-mode-indent-line ()
  "Indent the line by four columns for each bracket that is open at its beginning."
  (interactive)
  (let* ((is-in-text (nth 3 (syntax-ppss (line-beginning-position))))
         (closes (save-excursion (back-to-indentation) (looking-at-p "[])}]")))
         (depth (car (syntax-ppss (line-beginning-position))))
         (wanted (* 4 (max 0 (if closes (1- depth) depth)))))
    (if is-in-text
        'noindent
      (if (<= (current-column) (current-indentation))
          (indent-line-to wanted)
        (save-excursion (indent-line-to wanted))))))

;;;###autoload
(define-derived-mode ez-mode prog-mode "EZ"
  "Major mode for programs in EZ."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)\\s-*")
  (setq-local font-lock-defaults '(ez-mode-font-lock))
  (setq-local syntax-propertize-function ez-mode-syntax-propertize)
  (setq-local indent-line-function #'ez-mode-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 4))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ez\\'" . ez-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(ez-mode . ("ez" "lsp"))))

;; What `ez test' prints in a compilation buffer: the statements that have printed something else.
(defvar compilation-error-regexp-alist)
(defvar compilation-error-regexp-alist-alist)
(with-eval-after-load 'compile
  (add-to-list 'compilation-error-regexp-alist-alist
               '(ez-test "^ +\\(?:printed \\)?in \\([^ :\n][^:\n]*\\):\\([0-9]+\\)[,:]" 1 2))
  (add-to-list 'compilation-error-regexp-alist 'ez-test))

(provide 'ez-mode)
;;; ez-mode.el ends here
