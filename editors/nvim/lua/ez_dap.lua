-- Debugging EZ with nvim-dap: require("ez_dap").setup({ command = "ez" })
local M = {}

--- Registers the adapter `ez dap`, configurations for EZ files, and their file type.
--- @param options table|nil `command`: the ez program (default: "ez")
function M.setup(options)
  local found, dap = pcall(require, "dap")
  if not found then
    vim.notify("ez_dap needs nvim-dap: install https://github.com/mfussenegger/nvim-dap", vim.log.levels.ERROR)
    return
  end
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
  vim.api.nvim_create_user_command("EzUnfold", function(asked)
    M.unfold(asked.args == "next")
  end, {
    nargs = "?",
    complete = function()
      return { "next" }
    end,
    desc = "Show how the last (or the next) statement of an EZ program computes its result",
  })
  vim.api.nvim_create_user_command("EzChanges", function(asked)
    M.changes(asked.args ~= "" and asked.args or vim.fn.expand("<cword>"))
  end, { nargs = "?", desc = "List what was written to a variable of an EZ program" })
  vim.api.nvim_create_user_command("EzGoToStep", function(asked)
    M.go_to_step(tonumber(asked.args))
  end, { nargs = 1, desc = "Go to a step of an EZ program's history" })
end

--- Makes a request about the frame that is looked at, and shows the answer.
--- @param command string
--- @param arguments table
--- @param lines function|nil the lines that show an answer
local function ask(command, arguments, lines)
  local session = require("dap").session()
  if not session then
    vim.notify("No EZ program is being debugged.", vim.log.levels.WARN)
    return
  end
  arguments.frameId = session.current_frame and session.current_frame.id
  session:request(command, arguments, function(failure, answer)
    if failure then
      vim.notify(failure.message, vim.log.levels.WARN)
    elseif lines then
      vim.notify(table.concat(lines(answer), "\n"))
    end
  end)
end

--- Goes to a step of the history.
--- @param step number
function M.go_to_step(step)
  ask("goToStep", { step = step })
end

--- Shows what was written to a variable, the latest first; `:EzGoToStep` goes to one of the steps.
--- @param expression string the variable, element or field
function M.changes(expression)
  ask("changes", { expression = expression }, M.changes_lines)
end

--- The lines that show an answer to `changes`.
--- @param answer table the body of the response
--- @return string[]
function M.changes_lines(answer)
  local shown = {}
  for _, change in ipairs(answer.changes) do
    local old, new = change.oldValue or "nothing", change.newValue or "nothing"
    local what = change.cause .. ": " .. new
    if change.cause == "written" or change.cause == "client" then
      what = old .. " → " .. new .. (change.cause == "client" and ", in the debugger" or "")
    end
    table.insert(shown, "step " .. change.step .. ", line " .. change.line .. ": " .. what)
  end
  if answer.next then
    table.insert(shown, "(and earlier ones)")
  end
  return shown
end

--- Shows how the statement that was carried out last computed its result.
--- @param is_next boolean|nil whether to show that of the statement that comes next instead
function M.unfold(is_next)
  ask("unfold", { next = is_next or false }, M.unfolded_lines)
end

--- The lines that show an answer to `unfold`.
--- @param answer table the body of the response
--- @return string[]
function M.unfolded_lines(answer)
  local shown = {}
  local indent = string.rep(" ", math.max(#answer.prefix - 2, 0))
  for number, line in ipairs(answer.lines) do
    shown[number] = number == 1 and answer.prefix .. line.text or indent .. "= " .. line.text
  end
  for _, part in ipairs(answer.parts) do
    if part.skipped then
      table.insert(shown, part.text .. " was not computed: " .. part.skipped)
    elseif part.kind == "write" and part.newValue then
      local old = part.oldValue and part.oldValue .. " → " or ""
      table.insert(shown, part.target .. ": " .. old .. part.newValue)
    elseif part.kind == "error" then
      table.insert(shown, part.message .. " [" .. part.code .. "]")
    end
  end
  if answer.incomplete then
    table.insert(shown, "Not finished: " .. answer.incomplete)
  end
  return shown
end

return M
