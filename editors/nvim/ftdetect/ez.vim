autocmd BufRead,BufNewFile *.ez setfiletype ez
