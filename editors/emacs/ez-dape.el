;;; ez-dape.el --- Debug EZ programs with dape -*- lexical-binding: t; -*-

;;; Commentary:
;; Adds a configuration `ez' to dape, and a mode for EZ files if there is none.

;;; Code:

(unless (fboundp 'ez-mode)
  (define-derived-mode ez-mode prog-mode "EZ"
    "Major mode for programs in EZ."
    (setq-local comment-start "// ")
    (modify-syntax-entry ?/ ". 124b")
    (modify-syntax-entry ?* ". 23")
    (modify-syntax-entry ?\n "> b"))
  (add-to-list 'auto-mode-alist '("\\.ez\\'" . ez-mode)))

(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               '(ez
                 modes (ez-mode)
                 command "ez"
                 command-args ("dap")
                 command-cwd dape-command-cwd
                 :type "ez"
                 :request "launch"
                 :program dape-buffer-default
                 :cwd dape-cwd
                 :args []
                 :stopOnEntry nil)))

(provide 'ez-dape)
;;; ez-dape.el ends here
