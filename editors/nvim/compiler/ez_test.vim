" :compiler ez_test, :make runs the cases of the program; the list has the statements that have printed something else.
if exists("current_compiler")
  finish
endif
let current_compiler = "ez_test"

CompilerSet makeprg=ez\ test\ %:S
CompilerSet errorformat=%E✗\ %m,%Z%*[\ ]printed\ in\ %f:%l\\,%.%#,%Z%*[\ ]in\ %f:%l:%.%#,%C%.%#,%-G%.%#
