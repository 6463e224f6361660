-- Prints the quickfix list.
for _, item in ipairs(vim.fn.getqflist()) do
  if item.valid == 1 then
    local file = vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ":t")
    print(string.format("%s:%d:%d: %s: %s", file, item.lnum, item.col, item.type, item.text))
  end
end
vim.cmd("qall!")
