#!/usr/bin/env python3
"""Statements of the language, one by one, beside their Lua twins: CPU nanoseconds a round, plain and attached.

usage: benches/shapes.py [-n ROUNDS] [-k RUNS] [--save] [--first] [--list] [WORD ...]

A shape is the body of a counting loop. Most are made: each place that can be assigned, by type, with each assigning
operator; each operator by type of its operands; the others are the forms of conditions, loops, `when` and calls, and
functions of the library. With WORDs: only shapes whose name contains one of them.

Each is run RUNS times (default 3) in turn with its twin; the least time counts, from which an empty program is taken
off. Prints, for each shape, its time without that of the empty loop, that of the twin, the ratio with the loop, and that
of the attached to the plain program; then the geometric means, and which shapes exceed what is wanted: 1.5 of Lua; 1.15
attached; 1.3 of the same assignment written out. --save writes benches/shapes.tsv, --first its column `first` of an
earlier build. Needs `lua5.4`. Build first: cargo build --release."""
import argparse, math, pathlib, re, shutil, sys, tempfile
from typing import NamedTuple

import compare

SAVED = compare.HERE / "shapes.tsv"
# What a shape may cost: of Lua's time, attached of plain, and `x += y` of `x = x + y`.
OF_LUA, ATTACHED, WRITTEN_OUT = 1.5, 1.15, 1.3


class Shape(NamedTuple):
    """A statement: what is declared outside of the function, and before the loop; for Lua, too. Several are separated by `;`.
    Of a `parameter`, the loop is in a function to which main passes `x` by reference."""

    name: str
    outside: str
    before: str
    body: str
    lua_before: str
    lua_body: str
    parameter: str = ""


class Kind(NamedTuple):
    """A type: a literal, another one, what can be added a million times; for Lua, too."""

    name: str
    value: str
    other: str
    step: str
    lua: str
    lua_other: str
    lua_step: str


ENUM = "const E enum { A; B; C }"
KINDS = [Kind(name, "1", "2", "1", "1", "2", "1") for name in ("int", "i32", "i64", "uint")]
# Those that are soon full.
KINDS += [Kind(name, "1", "2", "0", "1", "2", "0") for name in ("u8", "byte")]
KINDS += [Kind(name, "1.0", "2.5", "0.5", "1.0", "2.5", "0.5") for name in ("float", "f32")]
KINDS += [
    Kind("string", '"a"', '"b"', '"cd"', '"a"', '"b"', '"cd"'),
    Kind("bool", "true", "false", "", "true", "false", ""),
    Kind("char", "'a'", "'b'", "", '"a"', '"b"', ""),
    Kind("E", "E.A", "E.B", "", "0", "1", ""),
]
# Those that `++` counts.
COUNTED = ("int", "i32", "i64", "uint", "u8")

# name | outside | before | the place | Lua: before | the place. `T` is the type, `V` a value.
PLACES = """
local | | temp x T = V | x | local x=V | x
global | temp g T = V | | g | g=V | g
referred local | | temp x T = V; temp r = ref(x); temp s T = r | x | local x={V} | x[1]
element | | temp a [T] = {V, V} | a[1] | local a={V,V} | a[2]
element at a local | | temp a [T] = {V, V}; temp i int = 1 | a[i] | local a,i={V,V},2 | a[i]
element of an element | | temp q [[T]] = {{V, V}, {V, V}} | q[1][0] | local q={{V,V},{V,V}} | q[2][1]
field | const P struct { n T; o T } | temp p P = P{n: V, o: V} | p.n | local p={n=V,o=V} | p.n
field of an element | const P struct { n T; o T } | temp l [P] = {P{n: V, o: V}} | l[0].n | local l={{n=V,o=V}} | l[1].n
element of a field | const P struct { a [T] } | temp p P = P{a: {V}} | p.a[0] | local p={a={V}} | p.a[1]
entry of a string | | temp m map[string:T] = {"a": V} | m["a"] | local m={a=V} | m.a
entry of an int | | temp m map[int:T] = {7: V} | m[7] | local m={[7]=V} | m[7]
parameter | | temp x T = V | x | local x={V} | x[1]
"""

# name | the statement | Lua's. `P` is the place, `O` the other value, `S` the step.
STORES = "= | P = O | P=O"
STEPS = """
+= | P += S | P=P+S
= + | P = P + S | P=P+S
"""
COUNTS = "++ | P++~ P-- | P=P+1 P=P-1"
OTHERS = """
-= | P -= S | P=P-S
*= | P *= S | P=P*S
/= | P /= S | P=P//S
%= | P %= 7 | P=P%7
= of a variable | P = k | P=k
"""
TEXTS = """
+= | P = "a"~ P += S | P="a" P=P..S
= + | P = "a"~ P = P + S | P="a" P=P..S
"""

# name | the types | the type of the result, if it is another | the expression | Lua's. The operands are x and y.
NUMBERS = "int i32 i64 uint u8 byte float f32"
OPERATORS = f"""
+ | {NUMBERS} string | | x + y | x+y
- | {NUMBERS} | | x - y | x-y
* | {NUMBERS} | | x * y | x*y
/ | float f32 | | x / y | x/y
/ | int i32 u8 | | x / y | x//y
% | int i32 u8 | | x % y | x%y
negated | int i32 float | | -x | -x
== | {NUMBERS} string char bool E | bool | x == y | x==y
!= | int string E | bool | x != y | x~=y
< | {NUMBERS} char | bool | x < y | x<y
>= | int float | bool | x >= y | x>=y
! | bool | | !x | not x
&& | bool | | x && y | x and y
or-or | bool | | x OR y | x or y
three operands | int float u8 | | x + y - x | x+y-x
""".replace("OR", "¦¦")

# name | outside | before | the body | Lua: before | the body.
FORMS = r"""
int and float | | temp x float = 0.0; temp y float = 2.5 | x = y * k | local x,y=0.0,2.5 | x=y*k
int stored in i32 | | temp x i32 = 0; temp y int = 5 | x = y | local x,y=0,5 | x=y
int stored in u8 | | temp x u8 = 0; temp y int = 5 | x = y | local x,y=0,5 | x=y
u8 stored in int | | temp x int = 0; temp y u8 = 5 | x = y | local x,y=0,5 | x=y
int stored in byte | | temp x byte = 0; temp y int = 5 | x = y | local x,y=0,5 | x=y
float stored in f32 | | temp x f32 = 0.0; temp y float = 2.5 | x = y | local x,y=0.0,2.5 | x=y
f32 stored in float | | temp x float = 0.0; temp y f32 = 2.5 | x = y | local x,y=0.0,2.5 | x=y
int stored in [u8] | | temp a [u8] = {1, 2}; temp y int = 5 | a[1] = y | local a,y={1,2},5 | a[2]=y
u8 and int | | temp x int = 0; temp y u8 = 5 | x = k + y | local x,y=0,5 | x=k+y
u8 from an int expression | | temp x u8 = 0 | x = k % 200 | local x=0 | x=k%200
u8 remainder | | temp x u8 = 0 | x = (x + 1) % 200 | local x=0 | x=(x+1)%200
i32 sum of products | | temp x i32 = 3; temp y i32 = 5 | x = (x * y + 7) % 1000 | local x,y=3,5 | x=(x*y+7)%1000
float formula | | temp x float = 1.0; temp y float = 2.0 | x = (x * y + 3.0) / (y + 1.5) | local x,y=1.0,2.0 | x=(x*y+3.0)/(y+1.5)
f32 formula | | temp x f32 = 0.5 | x = x * 0.5 + 1.0 | local x=0.5 | x=x*0.5+1.0
int formula | | temp x int = 0 | x = (k * 3 + 7) / 2 - k % 5 | local x=0 | x=(k*3+7)//2-k%5
global read | temp g int = 5 | temp x int = 0 | x = g + k | g=5 local x=0 | x=g+k
constant read | const LIMIT int = 5 | temp x int = 0 | x = LIMIT + k | LIMIT=5 local x=0 | x=LIMIT+k
element read | | temp a [int] = {1, 2, 3}; temp s int = 0 | s = a[1] | local a,s={1,2,3},0 | s=a[2]
element read at a sum | | temp a [int] = {1, 2, 3}; temp i int = 0; temp s int = 0 | s = a[i + 1] | local a,i,s={1,2,3},1,0 | s=a[i+1]
element of an element read | | temp q [[int]] = {{1, 2}, {3, 4}}; temp s int = 0 | s = q[1][0] | local q,s={{1,2},{3,4}},0 | s=q[2][1]
field read | const P struct { n int; f float } | temp p P = P{n: 1, f: 1.0}; temp s int = 0 | s = p.n | local p,s={n=1,f=1.0},0 | s=p.n
field of an element read | const P struct { n int; f float } | temp l [P] = {P{n: 1, f: 1.0}}; temp s int = 0 | s = l[0].n | local l,s={{n=1}},0 | s=l[1].n
enum field read | const E enum { A; B }; const P struct { e E } | temp p P = P{e: E.B}; temp b bool = false | b = p.e == E.B | local p,b={e=1},false | b=p.e==1
entry read | | temp m map[string:int] = {"a": 1}; temp s int = 0 | s = m["a"] | local m,s={a=1},0 | s=m.a
entry by a char counted | | temp m map[char:int] = {'a': 1} | m['a'] += 1 | local m={a=1} | m.a=m.a+1
entry of an int read | | temp m map[int:int] = {1: 1}; temp s int = 0 | s = m[1] | local m,s={[1]=1},0 | s=m[1]
new entry and its removal | | temp m map[int:int] = {1: 1} | m[2] = k~ maps.remove(m, 2) | local m={[1]=1} | m[2]=k m[2]=nil
swap of elements | | temp a [int] = {1, 2, 3}; temp t int = 0 | t = a[0]~ a[0] = a[1]~ a[1] = t | local a={1,2,3} | local t=a[1] a[1]=a[2] a[2]=t
exchange of locals | | temp x int = 1; temp y int = 2; temp t int = 0 | t = x~ x = y~ y = t | local x,y=1,2 | local t=x x=y y=t
struct made | const P struct { n int; f float } | temp p P = P{n: 1, f: 1.0} | p = P{n: k, f: 2.0} | local p | p={n=k,f=2.0}
array made | | temp a [int] = {} | a = {k, 2, 3} | local a | a={k,2,3}
map made | | temp m map[string:int] = {"a": 1} | m = {"a": k} | local m | m={a=k}
struct copied | const P struct { n int; f float } | temp p P = P{n: 1, f: 1.0}; temp q P = P{n: 1, f: 1.0} | q = p | local p,q={n=1,f=1.0} | q={n=p.n,f=p.f}
declaration | | temp s int = 0 | temp t int = k + 1~ s = t | local s=0 | local t=k+1 s=t
interpolation | | temp s string = "" | s = "n ${k}" | local s="" | s="n "..k
string index | | temp w string = "abcd"; temp c char = 'a' | c = w[2] | local w,c="abcd","a" | c=w:sub(3,3)
character of a string compared | | temp w string = "abcd"; temp n int = 0 | if w[2] == 'c' { n += 1 } | local w,n="abcd",0 | if w:sub(3,3)=="c" then n=n+1 end
in a range | | temp b bool = false | b = k % 10 in range(2, 8) | local b=false | b=k%10>=2 and k%10<8
not in a range of locals | | temp b bool = false; temp l int = 2; temp h int = 8 | b = k not_in range(l, h) | local b,l,h=false,2,8 | b=not (k>=l and k<h)
in a range with a step | | temp b bool = false | b = k in range(0, 100, 5) | local b=false | b=k>=0 and k<100 and k%5==0
in an array | | temp a [int] = {1, 2, 3}; temp b bool = false | b = 3 in a | local a,b={1,2,3},false | b=false for i=1,#a do if a[i]==3 then b=true break end end
in an array of strings | | temp a [string] = {"x", "y"}; temp b bool = false | b = "y" in a | local a,b={"x","y"},false | b=false for i=1,#a do if a[i]=="y" then b=true break end end
in a map | | temp m map[string:int] = {"a": 1}; temp b bool = false | b = "b" in m | local m,b={a=1},false | b=m.b~=nil
if | | temp s int = 0 | if k > 5 { s += 1 } | local s=0 | if k>5 then s=s+1 end
if of u8 | | temp x u8 = 3; temp s int = 0 | if x > 5 { s += 1 } otherwise { s += 2 } | local x,s=3,0 | if x>5 then s=s+1 else s=s+2 end
if of an enum | const E enum { A; B } | temp e E = E.B; temp s int = 0 | if e == E.A { s += 1 } or e == E.B { s += 2 } | local e,s=1,0 | if e==0 then s=s+1 elseif e==1 then s=s+2 end
if && and < | | temp b bool = true; temp n int = 0 | if b && n < 100000000 { n += 1 } | local b,n=true,0 | if b and n<100000000 then n=n+1 end
if of a string | | temp w string = "b"; temp s int = 0 | if w == "a" { s += 1 } otherwise { s += 2 } | local w,s="b",0 | if w=="a" then s=s+1 else s=s+2 end
if or otherwise | | temp i int = 0; temp s int = 0 | i = k % 4~ if i == 0 { s += 1 } or i == 1 { s += 2 } or i == 2 { s += 3 } otherwise { s += 4 } | local i,s=0,0 | i=k%4 if i==0 then s=s+1 elseif i==1 then s=s+2 elseif i==2 then s=s+3 else s=s+4 end
two nested ifs | | temp s int = 0 | if k >= 0 { if k >= 0 { s += 1 } } | local s=0 | if k>=0 then if k>=0 then s=s+1 end end
six nested ifs | | temp s int = 0 | if k >= 0 { if k >= 0 { if k >= 0 { if k >= 0 { if k >= 0 { if k >= 0 { s += 1 } } } } } } | local s=0 | if k>=0 then if k>=0 then if k>=0 then if k>=0 then if k>=0 then if k>=0 then s=s+1 end end end end end end
if with three statements | | temp s int = 0; temp t int = 0 | if k >= 0 { s += 1~ t += s~ s -= 2 } | local s,t=0,0 | if k>=0 then s=s+1 t=t+s s=s-2 end
when of ints | | temp i int = 0; temp s int = 0 | i = k % 4~ when i { is 0 { s += 1 } is 1 { s += 2 } is 2 { s += 3 } default { s += 4 } } | local i,s=0,0 | i=k%4 if i==0 then s=s+1 elseif i==1 then s=s+2 elseif i==2 then s=s+3 else s=s+4 end
when of ranges | | temp i int = 0; temp s int = 0 | i = k % 40~ when i { is range(0, 10) { s += 1 } is range(10, 20) { s += 2 } default { s += 4 } } | local i,s=0,0 | i=k%40 if i>=0 and i<10 then s=s+1 elseif i>=10 and i<20 then s=s+2 else s=s+4 end
when of chars | | temp c char = 'c'; temp s int = 0 | when c { is 'a' { s += 1 } is 'b', 'c' { s += 2 } default { s += 4 } } | local c,s="c",0 | if c=="a" then s=s+1 elseif c=="b" or c=="c" then s=s+2 else s=s+4 end
when of strings | | temp w string = "c"; temp s int = 0 | when w { is "a" { s += 1 } is "b" { s += 2 } is "c" { s += 3 } default { s += 4 } } | local w,s="c",0 | if w=="a" then s=s+1 elseif w=="b" then s=s+2 elseif w=="c" then s=s+3 else s=s+4 end
when of an enum | const E enum { A; B; C } | temp e E = E.C; temp s int = 0 | when e { is E.A { s += 1 } is E.B { s += 2 } is E.C { s += 3 } default { s += 4 } } | local e,s=2,0 | if e==0 then s=s+1 elseif e==1 then s=s+2 elseif e==2 then s=s+3 else s=s+4 end
when of floats | | temp f float = 2.5; temp s int = 0 | when f { is 1.5 { s += 1 } is 2.5 { s += 2 } default { s += 4 } } | local f,s=2.5,0 | if f==1.5 then s=s+1 elseif f==2.5 then s=s+2 else s=s+4 end
for | | temp s int = 0 | for j in range(0, 4) { s += j } | local s=0 | for j=0,3 do s=s+j end
for with a step | | temp s int = 0 | for j in range(8, 0, -2) { s += j } | local s=0 | for j=8,1,-2 do s=s+j end
for with nothing to do | | temp s int = 0; temp l int = 3 | for j in range(3, l) { s += j } | local s,l=0,3 | for j=3,l-1 do s=s+j end
as_long_as | | temp s int = 0; temp j int = 0 | j = 0~ as_long_as j < 4 { s += j~ j += 1 } | local s,j=0,0 | j=0 while j<4 do s=s+j j=j+1 end
loop and break | | temp s int = 0; temp j int = 0 | j = 0~ loop { j += 1~ if j > 4 { break } } | local s,j=0,0 | j=0 while true do j=j+1 if j>4 then break end end
continue | | temp s int = 0 | for j in range(0, 4) { if j == 2 { continue }; s += j } | local s=0 | for j=0,3 do if j~=2 then s=s+j end end
for_each of ints | | temp a [int] = {1, 2, 3, 4}; temp s int = 0 | for_each x in a { s += x } | local a,s={1,2,3,4},0 | for _,x in ipairs(a) do s=s+x end
for_each with an index | | temp a [int] = {1, 2, 3, 4}; temp s int = 0 | for_each i, x in a { s += i } | local a,s={1,2,3,4},0 | for i,x in ipairs(a) do s=s+i end
for_each of u8 | | temp a [u8] = {1, 2, 3, 4}; temp s int = 0 | for_each x in a { s += x } | local a,s={1,2,3,4},0 | for _,x in ipairs(a) do s=s+x end
for_each of floats | | temp a [float] = {1.0, 2.0, 3.0, 4.0}; temp s float = 0.0 | for_each x in a { s += x } | local a,s={1.0,2.0,3.0,4.0},0.0 | for _,x in ipairs(a) do s=s+x end
for_each of strings | | temp a [string] = {"a", "b", "c", "d"}; temp n int = 0 | for_each x in a { if x == "b" { n += 1 } } | local a,n={"a","b","c","d"},0 | for _,x in ipairs(a) do if x=="b" then n=n+1 end end
for_each of structs | const P struct { n int; f float } | temp a [P] = {P{n: 1, f: 1.0}, P{n: 2, f: 1.0}}; temp n int = 0 | for_each x in a { n += x.n } | local a,n={{n=1},{n=2}},0 | for _,x in ipairs(a) do n=n+x.n end
for_each of characters | | temp w string = "abcd"; temp n int = 0 | for_each c in w { if c == 'b' { n += 1 } } | local w,n="abcd",0 | for i=1,#w do if w:sub(i,i)=='b' then n=n+1 end end
call | do f() { return } | | f() | local function f() end | f()
call of an int | do f(n int) -> int { return n + 1 } | temp s int = 0 | s = f(k) | local s=0 local function f(n) return n+1 end | s=f(k)
call of u8 | do f(n u8) -> u8 { return n } | temp s u8 = 3 | s = f(s) | local s=3 local function f(n) return n end | s=f(s)
call of two | do f(a int, b int) -> int { return a + b } | temp s int = 0 | s = f(k, 2) | local s=0 local function f(a,b) return a+b end | s=f(k,2)
call of three | do f(a int, b int, c int) -> int { return a + b + c } | temp s int = 0 | s = f(k, 2, 3) | local s=0 local function f(a,b,c) return a+b+c end | s=f(k,2,3)
call of a float | do f(n float) -> float { return n + 1.0 } | temp s float = 0.0 | s = f(2.0) | local s=0.0 local function f(n) return n+1.0 end | s=f(2.0)
call of a bool | do f(n int) -> bool { return n > 5 } | temp s int = 0 | if f(k) { s += 1 } | local s=0 local function f(n) return n>5 end | if f(k) then s=s+1 end
call of a string | do f(s string) -> string { return s } | temp s string = "" | s = f("a") | local s="" local function f(s) return s end | s=f("a")
call of an enum | const E enum { A; B }; do f(e E) -> E { return e } | temp e E = E.A | e = f(E.B) | local e=0 local function f(e) return e end | e=f(1)
call with an array | do f(a [int]) -> int { return a[0] } | temp a [int] = {1, 2}; temp s int = 0 | s = f(a) | local a,s={1,2},0 local function f(a) return a[1] end | s=f(a)
call with a struct | const P struct { n int; f float }; do f(p P) -> int { return p.n } | temp p P = P{n: 1, f: 1.0}; temp s int = 0 | s = f(p) | local p,s={n=1},0 local function f(p) return p.n end | s=f(p)
call with a default | do f(n int, d int = 2) -> int { return n + d } | temp s int = 0 | s = f(k) | local s=0 local function f(n,d) d=d or 2 return n+d end | s=f(k)
call with a reference | do f(&n int) { n += 1 } | temp x int = 0 | f(x) | local x={0} local function f(n) n[1]=n[1]+1 end | f(x)
call with a reference to an element | do f(&n int) { n += 1 } | temp a [int] = {0, 0} | f(a[1]) | local a={0,0} local function f(a,i) a[i]=a[i]+1 end | f(a,2)
call with a reference to a field | const P struct { n int; f float }; do f(&n int) { n += 1 } | temp p P = P{n: 1, f: 1.0} | f(p.n) | local p={n=1} local function f(p,i) p[i]=p[i]+1 end | f(p,"n")
call with a changed array | do f(&a [int]) { a[0] += 1 } | temp a [int] = {0, 0} | f(a) | local a={0,0} local function f(a) a[1]=a[1]+1 end | f(a)
call that returns early | do f(n int) -> int { if n < 0 { return 0 }; return n } | temp s int = 0 | s = f(k) | local s=0 local function f(n) if n<0 then return 0 end return n end | s=f(k)
call with locals | do f(n int) -> int { temp a int = n * 2; temp b int = a + n; return b - a } | temp s int = 0 | s = f(k) | local s=0 local function f(n) local a=n*2 local b=a+n return b-a end | s=f(k)
call in a call | do f(n int) -> int { return n + 1 } | temp s int = 0 | s = f(f(k)) | local s=0 local function f(n) return n+1 end | s=f(f(k))
recursion | do f(n int) -> int { if n == 0 { return 0 }; return f(n - 1) + 1 } | temp s int = 0 | s = f(3) | local s=0 local function f(n) if n==0 then return 0 end return f(n-1)+1 end | s=f(3)
two results | do f(n int) -> (int, int) { return n, n } | temp u int = 0; temp v int = 0 | u, v = f(k) | local u,v=0,0 local function f(n) return n,n end | u,v=f(k)
two results declared | do f(n int) -> (int, int) { return n, n } | temp s int = 0 | temp u, v = f(k)~ s = u + v | local s=0 local function f(n) return n,n end | local u,v=f(k) s=u+v
results of three types | do f(n int) -> (int, float, bool) { return n, 1.5, true } | temp u int = 0; temp v float = 0.0; temp w bool = false | u, v, w = f(k) | local u,v,w=0,0.0,false local function f(n) return n,1.5,true end | u,v,w=f(k)
a string and an error | do f(n int) -> (string, Error) { return "a", nil } | temp u string = ""; temp e Error = nil | u, e = f(k) | local u,e local function f(n) return "a",nil end | u,e=f(k)
nine statements and one | | temp a int = 1; temp b int = 2; temp c [int] = {1, 2} | a += 1~ b += a~ a -= 2~ b -= 1~ a += b~ b -= a~ a -= 1~ b += 2~ c[1] += 1 | local a,b,c=1,2,{1,2} | a=a+1 b=b+a a=a-2 b=b-1 a=a+b b=b-a a=a-1 b=b+2 c[2]=c[2]+1
len of an array | | temp a [int] = {1, 2, 3}; temp n int = 0 | n = len(a) | local a,n={1,2,3},0 | n=#a
len of a string | | temp w string = "abcd"; temp n int = 0 | n = len(w) | local w,n="abcd",0 | n=#w
int() of a float | | temp f float = 2.5; temp n int = 0 | n = int(f) | local f,n,floor=2.5,0,math.floor | n=floor(f)
int() of a char | | temp c char = 'c'; temp n int = 0 | n = int(c) | local c,n,byte="c",0,string.byte | n=byte(c)
int() of an enum | const E enum { A; B } | temp e E = E.B; temp n int = 0 | n = int(e) | local e,n=1,0 | n=e
float() of an int | | temp f float = 0.0 | f = float(k) | local f=0.0 | f=k+0.0
u8() of an int | | temp x u8 = 0 | x = u8(k % 200) | local x=0 | x=k%200
char() of an int | | temp c char = 'a'; temp n int = 98 | c = char(n) | local c,n,char="a",98,string.char | c=char(n)
string() of an int | | temp s string = "" | s = string(k) | local s="" | s=tostring(k)
arrays.append and arrays.pop | | temp a [int] = {} | arrays.append(a, k)~ arrays.pop(a) | local a={} | a[#a+1]=k a[#a]=nil
arrays.append of a u8 | | temp a [u8] = {}; temp x u8 = 1 | arrays.append(a, x)~ arrays.clear(a) | local a,x={},1 | a[#a+1]=x a={}
arrays.contains | | temp a [int] = {1, 2, 3}; temp b bool = false | b = arrays.contains(a, 3) | local a,b={1,2,3},false | b=false for i=1,#a do if a[i]==3 then b=true break end end
arrays.index | | temp a [int] = {1, 2, 3}; temp n int = 0 | n = arrays.index(a, 3) | local a,n={1,2,3},0 | n=-1 for i=1,#a do if a[i]==3 then n=i break end end
arrays.first and arrays.last | | temp a [int] = {1, 2, 3}; temp n int = 0 | n = arrays.first(a)~ n = arrays.last(a) | local a,n={1,2,3},0 | n=a[1] n=a[#a]
arrays.get and arrays.set | | temp a [int] = {1, 2, 3} | arrays.set(a, 1, arrays.get(a, 0)) | local a={1,2,3} | a[2]=a[1]
arrays.sum | | temp a [int] = {1, 2, 3, 4}; temp n int = 0 | n = arrays.sum(a) | local a,n={1,2,3,4},0 | n=0 for i=1,#a do n=n+a[i] end
arrays.max | | temp a [int] = {1, 2, 3, 4}; temp n int = 0 | n = arrays.max(a) | local a,n={1,2,3,4},0 | n=a[1] for i=2,#a do if a[i]>n then n=a[i] end end
arrays.sort | | temp a [int] = {4, 1, 3, 2} | arrays.sort(a) | local a,sort={4,1,3,2},table.sort | sort(a)
arrays.slice | | temp a [int] = {1, 2, 3, 4}; temp b [int] = {} | b = arrays.slice(a, 1, 3) | local a,b,move={1,2,3,4},{},table.move | b=move(a,2,3,1,{})
arrays.reverse | | temp a [int] = {1, 2, 3, 4}; temp b [int] = {} | b = arrays.reverse(a) | local a,b={1,2,3,4},{} | b={} for i=#a,1,-1 do b[#b+1]=a[i] end
arrays.insert and arrays.remove_at | | temp a [int] = {1, 2, 3} | arrays.insert(a, 1, 7)~ arrays.remove_at(a, 1) | local a,insert,remove={1,2,3},table.insert,table.remove | insert(a,2,7) remove(a,2)
arrays.join | | temp a [string] = {"a", "b", "c"}; temp s string = "" | s = arrays.join(a, ", ") | local a,s,concat={"a","b","c"},"",table.concat | s=concat(a,", ")
maps.contains | | temp m map[string:int] = {"a": 1}; temp b bool = false | b = maps.contains(m, "b") | local m,b={a=1},false | b=m.b~=nil
maps.contains of an int | | temp m map[int:int] = {1: 1}; temp b bool = false | b = maps.contains(m, k) | local m,b={[1]=1},false | b=m[k]~=nil
maps.get | | temp m map[string:int] = {"a": 1}; temp n int = 0 | n = maps.get(m, "b", 0) | local m,n={a=1},0 | n=m.b or 0
maps.set | | temp m map[string:int] = {"a": 1} | maps.set(m, "a", k) | local m={a=1} | m.a=k
maps.keys | | temp m map[string:int] = {"a": 1, "b": 2}; temp n int = 0 | for_each x in maps.keys(m) { n += 1 } | local m,n={a=1,b=2},0 | for x in pairs(m) do n=n+1 end
maps.values | | temp m map[string:int] = {"a": 1, "b": 2}; temp n int = 0 | for_each x in maps.values(m) { n += x } | local m,n={a=1,b=2},0 | for _,x in pairs(m) do n=n+x end
strings.upper | | temp w string = "abcd"; temp s string = "" | s = strings.upper(w) | local w,s="abcd","" | s=w:upper()
strings.trim | | temp w string = " abcd "; temp s string = "" | s = strings.trim(w) | local w,s=" abcd ","" | s=w:match("^%s*(.-)%s*$")
strings.contains | | temp w string = "abcd"; temp b bool = false | b = strings.contains(w, "cd") | local w,b="abcd",false | b=w:find("cd",1,true)~=nil
strings.starts_with | | temp w string = "abcd"; temp b bool = false | b = strings.starts_with(w, "ab") | local w,b="abcd",false | b=w:sub(1,2)=="ab"
strings.index | | temp w string = "abcd"; temp n int = 0 | n = strings.index(w, "cd") | local w,n="abcd",0 | n=w:find("cd",1,true)
strings.slice | | temp w string = "abcd"; temp s string = "" | s = strings.slice(w, 1, 3) | local w,s="abcd","" | s=w:sub(2,3)
strings.replace | | temp w string = "abcd"; temp s string = "" | s = strings.replace(w, "b", "x") | local w,s="abcd","" | s=w:gsub("b","x")
strings.split | | temp w string = "a,b,c"; temp a [string] = {} | a = strings.split(w, ",") | local w,a="a,b,c",{} | a={} for p in w:gmatch("[^,]+") do a[#a+1]=p end
strings.join | | temp a [string] = {"a", "b", "c"}; temp s string = "" | s = strings.join(a, ", ") | local a,s,concat={"a","b","c"},"",table.concat | s=concat(a,", ")
strings.repeat | | temp s string = "" | s = strings.repeat("ab", 3) | local s="" | s=("ab"):rep(3)
strings.reverse | | temp w string = "abcd"; temp s string = "" | s = strings.reverse(w) | local w,s="abcd","" | s=w:reverse()
strings.pad_left | | temp w string = "ab"; temp s string = "" | s = strings.pad_left(w, 5) | local w,s,format="ab","",string.format | s=format("%5s",w)
strings.to_int | | temp w string = "42"; temp n int = 0 | n = strings.to_int(w) | local w,n,f="42",0,math.tointeger | n=f(w)
math.abs | | temp x int = 0 | x = math.abs(k) | local x,abs=0,math.abs | x=abs(k)
math.abs of a float | | temp x float = 0.0; temp y float = -2.5 | x = math.abs(y) | local x,y,abs=0.0,-2.5,math.abs | x=abs(y)
math.min | | temp x int = 0 | x = math.min(k, 5) | local x,min=0,math.min | x=min(k,5)
math.max of floats | | temp x float = 0.0; temp y float = 2.5 | x = math.max(y, 1.5) | local x,y,max=0.0,2.5,math.max | x=max(y,1.5)
math.sqrt | | temp x float = 2.0 | x = math.sqrt(2.0) | local x,sqrt=2.0,math.sqrt | x=sqrt(2.0)
math.sin | | temp x float = 2.0; temp y float = 0.5 | x = math.sin(y) | local x,y,sin=2.0,0.5,math.sin | x=sin(y)
math.floor | | temp x int = 0; temp y float = 2.5 | x = math.floor(y) | local x,y,floor=0,2.5,math.floor | x=floor(y)
math.round | | temp x int = 0; temp y float = 2.5 | x = math.round(y) | local x,y,floor=0,2.5,math.floor | x=floor(y+0.5)
math.pow | | temp x float = 0.0; temp y float = 3.0 | x = math.pow(y, 2.0) | local x,y,z=0,3.0,2.0 | x=y^z
math.is_even | | temp b bool = false | b = math.is_even(k) | local b=false | b=k%2==0
math.gcd | | temp x int = 0 | x = math.gcd(12, 18) | local x,a,b=0,0,0 | a,b=12,18 while b~=0 do a,b=b,a%b end x=a
random.int | | temp x int = 0 | x = random.int(1, 6) | local x,random=0,math.random | x=random(1,6)
"""


def arms(count):
    """An `if` with this many arms of `or`."""
    tests = [f"{'or' if i else 'if'} i == {i} {{ s += 1 }}" for i in range(count)]
    lua = [f"{'elseif' if i else 'if'} i=={i} then s=s+1" for i in range(count)]
    body = f"i = k % {count + 1}~ {' '.join(tests)} otherwise {{ s += 5 }}"
    return Shape(f"{count} arms", "", "temp i int = 0; temp s int = 0", body, "local i,s=0,0", f"i=k%{count + 1} {' '.join(lua)} else s=s+5 end")


def rows(text):
    for line in text.strip().split("\n"):
        yield [part.strip().replace("¦", "|") for part in line.split("|")]


def replaced(text, **words):
    """The text with each of these words, which are single letters, replaced."""
    return re.sub(r"\b[TVPOS]\b", lambda found: words.get(found[0], found[0]), text)


def assigned(kind):
    """The forms of assignment to a place of a type."""
    found = [*rows(STORES)]
    if kind.step:
        found += rows(TEXTS if kind.name == "string" else STEPS)
    if kind.name in COUNTED:
        found += rows(COUNTS)
    if kind.name == "int":
        found += rows(OTHERS)
    return found


def assignments():
    for place, outside, before, target, lua_before, lua_target in rows(PLACES):
        for kind in KINDS:
            ez, lua = {"T": kind.name, "V": kind.value}, {"V": kind.lua}
            declared = replaced(outside, **ez) if "struct" not in outside else outside.replace(" T", f" {kind.name}").replace("[T]", f"[{kind.name}]")
            enum = ENUM + "; " if kind.name == "E" else ""
            for name, body, lua_body in assigned(kind):
                yield Shape(
                    f"{place} {kind.name} {name}",
                    enum + declared,
                    replaced(before, **ez),
                    replaced(body, P=target, O=kind.other, S=kind.step),
                    replaced(lua_before, **lua),
                    replaced(lua_body, P=lua_target, O=kind.lua_other, S=kind.lua_step),
                    f"&x {kind.name}" if place == "parameter" else "",
                )


def operations():
    kinds = {kind.name: kind for kind in KINDS}
    for operator, names, result, body, lua_body in rows(OPERATORS):
        for kind in (kinds[name] for name in names.split()):
            made = kinds[result or kind.name]
            value, other = (kind.value, kind.other) if operator != "-" else (kind.other, kind.value)
            lua, lua_other = (kind.lua, kind.lua_other) if operator != "-" else (kind.lua_other, kind.lua)
            before = f"temp x {kind.name} = {value}; temp y {kind.name} = {other}; temp z {made.name} = {made.value}"
            lua_text = lua_body.replace("+", "..") if kind.name == "string" else lua_body
            enum, lua_before = ENUM if kind.name == "E" else "", f"local x,y,z={lua},{lua_other},{made.lua}"
            yield Shape(f"{kind.name} {operator}", enum, before, f"z = {body}", lua_before, f"z={lua_text}")


def shapes():
    yield from assignments()
    yield from operations()
    for row in rows(FORMS):
        yield Shape(*row)
    yield from map(arms, (3, 6, 12, 25))


def lines(text, indent):
    """Declarations, each in a line, those with braces in several."""
    spread = text.replace("~ ", ";") if indent else text
    depth, found, current = 0, [], ""
    for c in spread + ";":
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += c
    return "\n".join(" " * indent + one for one in found if one)


def spread(text):
    """A declaration at file level: members and statements of a function in lines of their own."""
    if not text.startswith(("const", "do")) or "{" not in text:
        return text
    out, depth = "", 0
    for i, c in enumerate(text):
        if c == "{" and text[i + 1 : i + 2] == " ":
            depth += 1
            out += "{\n"
        elif c == "}" and depth:
            depth -= 1
            out += "\n}"
        else:
            out += "\n" if c == ";" and depth else c
    return out


def program(shape, rounds):
    """The program of a shape, and its twin."""
    outside = "\n\n".join(spread(part) for part in lines(shape.outside, 0).split("\n"))
    body = "\n".join(" " * 8 + part.strip() for part in shape.body.replace("; ", "~ ").split("~ "))
    loop = f"    for k in range(0, {rounds}) {{\n{body}\n    }}\n"
    before = lines(shape.before, 4)
    if shape.parameter:
        main = f"do work({shape.parameter}) {{\n{loop}}}\n\ndo main() {{\n{before}\n    work(x)\n}}\n"
    else:
        main = f"do main() {{\n{before}\n{loop}}}\n"
    ez = f"import @std, @arrays, @maps, @strings, @math, @random\nusing std\n\n{outside}\n\n{main}"
    return ez, f"{shape.lua_before}\nfor k=0,{rounds - 1} do {shape.lua_body} end\n"


# What starting costs, and the loop.
NOTHING, EMPTY = "nothing", "empty loop"


def measured(shape, rounds, runs, folder):
    """The least times of the program, of it attached, and of its twin, in nanoseconds a round."""
    ez, lua = folder / "shape.ez", folder / "shape.lua"
    for path, text in zip((ez, lua), program(shape, rounds)):
        path.write_text(text)
    columns = (
        lambda: compare.cpu([compare.EZ, str(ez)]),
        lambda: compare.cpu([compare.EZ, "debugserver"], compare.session(ez)),
        lambda: compare.cpu(["lua5.4", str(lua)]),
    )
    least = [math.inf] * len(columns)
    for _ in range(runs):
        least = [min(known, column()) for known, column in zip(least, columns)]
    return [time / rounds * 1e9 for time in least]


def saved():
    """The rows of the table: name, and the four columns as texts."""
    if not SAVED.exists():
        return {}
    found = (line.split("\t") for line in SAVED.read_text().splitlines()[1:])
    return {name: columns for name, *columns in found}


def save(times, is_first):
    """Writes the table; of each shape, the time of the first build stays, or is what changes."""
    table = saved()
    for name, (ez, attached, lua) in times.items():
        first, *others = table.get(name, [f"{ez:.0f}"] * 4)
        table[name] = [f"{ez:.0f}", *others] if is_first else [first, f"{ez:.0f}", f"{attached:.0f}", f"{lua:.0f}"]
    head = "shape\tfirst\tez\tattached\tlua\n"
    SAVED.write_text(head + "".join("\t".join([name, *columns]) + "\n" for name, columns in table.items()))


def judge(times):
    """Prints the means, and what exceeds what is wanted."""
    of_lua = {name: ez / lua for name, (ez, _, lua) in times.items()}
    attached = {name: attached / ez for name, (ez, attached, _) in times.items()}
    out = {name: times[name][0] / times[other][0] for name in times if (other := name.removesuffix("+=") + "= +") in times and name.endswith("+=")}
    print(f"{len(times)} shapes: {compare.geomean(of_lua.values()):.2f} of Lua, attached {compare.geomean(attached.values()):.2f} of plain")
    for what, ratios, most in (("of Lua", of_lua, OF_LUA), ("attached of plain", attached, ATTACHED), ("+= of written out", out, WRITTEN_OUT)):
        above = sorted(((ratio, name) for name, ratio in ratios.items() if ratio > most), reverse=True)
        print(f"{what}, above {most}: {len(above)}")
        for ratio, name in above:
            print(f"    {ratio:5.2f}  {name}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("-n", type=int, default=1_000_000)
    parser.add_argument("-k", type=int, default=3)
    for flag in ("save", "first", "list"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_intermixed_args()
    if not shutil.which("lua5.4"):
        sys.exit("lua5.4 is missing")
    wanted = [shape for shape in shapes() if not options.words or any(word in shape.name for word in options.words)]
    if options.list:
        for shape in wanted:
            print(f"# {shape.name}", *program(shape, options.n), sep="\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Taken off all others: more exactly.
        start = measured(Shape(NOTHING, "", "", "return", "", "break"), options.n, 10 * options.k, folder)
        empty = measured(Shape(EMPTY, "", "", "", "", ""), options.n, 10 * options.k, folder)
        times = {}
        for shape in wanted:
            found = measured(shape, options.n, options.k, folder)
            ez, attached, lua = times[shape.name] = [max(time - base, 1) for time, base in zip(found, start)]
            own, twin = (max(time - base, 0) for time, base in ((found[0], empty[0]), (found[2], empty[2])))
            print(f"{shape.name:42} ez {own:6.0f}  lua {twin:6.0f} ns  of Lua {ez / lua:5.2f}  attached {attached / ez:5.2f}", flush=True)
    judge(times)
    if options.save or options.first:
        save(times, options.first)


if __name__ == "__main__":
    main()
