-- The language server of EZ, for any Neovim from 0.7: require("ez_lsp").setup({ command = "ez" })
local M = {}

--- Starts `ez lsp` for files in EZ.
--- @param options table|nil `command`: the ez program (default: "ez")
function M.setup(options)
  local command = options and options.command or "ez"
  if vim.lsp.config then
    vim.lsp.config("ez", { cmd = { command, "lsp" } })
    vim.lsp.enable("ez")
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "ez",
    group = vim.api.nvim_create_augroup("ez_lsp", {}),
    callback = function(event)
      M.start(command, event.buf)
    end,
  })
end

-- The number of the client before Neovim 0.8, which has no function that starts one only once. (That it is stopped is
-- said there also of a client that has not been answered yet.)
local client

--- Starts the server if it does not run, and tells it of a file.
--- @param command string
--- @param buffer number
function M.start(command, buffer)
  if vim.fn.executable(command) == 0 then
    vim.notify("There is no program '" .. command .. "': install ez, or name it in setup().", vim.log.levels.WARN)
    return
  end
  local directory = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  local configuration = { name = "ez", cmd = { command, "lsp" }, root_dir = directory }
  if vim.lsp.start then
    -- One server for all folders: files of one program may be in several.
    local function is_ours(other)
      return other.name == "ez"
    end
    vim.lsp.start(configuration, { bufnr = buffer, reuse_client = is_ours })
    return
  end
  if not client then
    configuration.on_exit = function()
      client = nil
    end
    client = vim.lsp.start_client(configuration)
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

return M
