-- The language server of EZ for Neovim 0.11 and newer: vim.lsp.enable("ez")
return {
  cmd = { "ez", "lsp" },
  filetypes = { "ez" },
  root_markers = { "main.ez", ".git" },
}
