;;; ez-dape.el --- Debug EZ programs with dape -*- lexical-binding: t; -*-

;;; Commentary:
;; Adds a configuration `ez' to dape.

;;; Code:

(require 'ez-mode)

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
