" Colours for programs in EZ, for Vim and Neovim.
if exists("b:current_syntax")
  finish
endif

syntax case match

syntax keyword ezConditional if or otherwise when is default
syntax keyword ezRepeat for for_each as_long_as loop break continue range in not_in
syntax keyword ezStatement return ensure
syntax keyword ezInclude import using use from module
syntax keyword ezKeyword do temp const private struct enum new cast
syntax keyword ezBoolean true false
syntax keyword ezConstant nil
syntax keyword ezType int i8 i16 i32 i64 i128 i256 uint u8 u16 u32 u64 u128 u256
syntax keyword ezType float f32 f64 string bool char byte any map Error

syntax match ezFunction "\<\h\w*\ze\s*("
syntax match ezModule "@\h\w*"
syntax match ezAttribute "#\(suppress\|strict\|flags\|enum\|doc\)\>"
syntax match ezNumber "\<\d[0-9_]*\(\.\d[0-9_]*\)\?\([eE][-+]\?\d\+\)\?\>"
syntax match ezNumber "\<0[xX][0-9A-Fa-f_]\+\>\|\<0[bB][01_]\+\>\|\<0[oO][0-7_]\+\>"

syntax keyword ezTodo TODO FIXME XXX contained
syntax match ezComment "//.*$" contains=ezTodo,@Spell
syntax region ezComment start="/\*" end="\*/" contains=ezComment,ezTodo,@Spell

syntax match ezEscape "\\\(x\x\{2}\|.\)" contained
syntax region ezString start=+"+ skip=+\\.+ end=+"+ contains=ezEscape,ezInterpolation,@Spell
syntax region ezString start=+`+ end=+`+ contains=@Spell
syntax match ezCharacter "'\([^'\\]\|\\\(x\x\{2}\|u{\?\x\+}\?\|.\)\)'"
syntax region ezInterpolation matchgroup=ezDelimiter start="\${" end="}" contained contains=TOP
syntax region ezBraces start="{" end="}" transparent

syntax sync fromstart

highlight default link ezConditional Conditional
highlight default link ezRepeat Repeat
highlight default link ezStatement Statement
highlight default link ezInclude Include
highlight default link ezKeyword Keyword
highlight default link ezBoolean Boolean
highlight default link ezConstant Constant
highlight default link ezType Type
highlight default link ezFunction Function
highlight default link ezModule Identifier
highlight default link ezAttribute PreProc
highlight default link ezNumber Number
highlight default link ezTodo Todo
highlight default link ezComment Comment
highlight default link ezEscape SpecialChar
highlight default link ezString String
highlight default link ezCharacter Character
highlight default link ezDelimiter Delimiter

let b:current_syntax = "ez"
