-- Debugging EZ with nvim-dap: require("ez_dap").setup({ command = "ez" })
local M = {}

--- Registers the adapter `ez dap`, configurations for EZ files, and their file type.
--- @param options table|nil `command`: the ez program (default: "ez")
function M.setup(options)
  local dap = require("dap")
  local command = options and options.command or "ez"
  if vim.fn.has("nvim-0.8") == 0 then
    -- Neovim 0.7 detects file types by `vim.filetype` only on request.
    vim.g.do_filetype_lua = 1
  end
  vim.filetype.add({ extension = { ez = "ez" } })
  dap.adapters.ez = { type = "executable", command = command, args = { "dap" } }
  dap.configurations.ez = {
    {
      type = "ez",
      request = "launch",
      name = "Debug this file",
      program = "${file}",
      cwd = "${workspaceFolder}",
    },
    {
      type = "ez",
      request = "launch",
      name = "Debug this file with arguments",
      program = "${file}",
      cwd = "${workspaceFolder}",
      args = function()
        return vim.split(vim.fn.input("Arguments: "), " +", { trimempty = true })
      end,
    },
    {
      type = "ez",
      request = "launch",
      name = "Debug this file from its first statement",
      program = "${file}",
      cwd = "${workspaceFolder}",
      stopOnEntry = true,
    },
    {
      type = "ez",
      request = "launch",
      name = "Debug this file in a terminal",
      program = "${file}",
      cwd = "${workspaceFolder}",
      console = "integratedTerminal",
    },
    {
      type = "ez",
      request = "attach",
      name = "Attach to a program",
      port = function()
        return tonumber(vim.fn.input("Port: "))
      end,
      token = function()
        return vim.fn.input("Token: ")
      end,
    },
  }
end

return M
