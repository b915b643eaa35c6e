// What a program prints, names, keeps or throws is text, whatever is in it.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script><b id=injected>';

/** Whether something of the program has become an element. */
async function isClean(ez) {
  const found = await ez.page.evaluate(() => {
    const roots = [document, document.querySelector("#editor").shadowRoot];
    return roots.flatMap((root) => [...root.querySelectorAll("img:not(.cm-widgetBuffer), script:not([src]), #injected, iframe, object, [onerror]")].map((element) => element.outerHTML));
  });
  assert.deepEqual(found, []);
}

test("markup in output, values, keys and errors stays text", async (ez) => {
  await ez.write(`import @std
using std
const Odd struct {
    text string
}
do main() {
    temp text string = "${MARKUP}"
    temp odd Odd = Odd{text: text}
    temp m map[string:string] = {"${MARKUP}": text}
    println(text)
    eprintln(text)
    println(m, odd)
    panic(text)
}
`);
  await ez.clickGutter(13);
  await ez.debug(13);
  await ez.variable("m").click();
  await ez.variable("odd").click();
  await ez.page.locator("#variables .row .value", { hasText: "onerror" }).nth(3).waitFor();
  await ez.page.getByRole("textbox", { name: "New watch" }).fill("text");
  await ez.page.keyboard.press("Enter");
  await ez.page.getByRole("tree", { name: "Watches" }).getByText("onerror").waitFor();
  await ez.page.getByRole("tab", { name: "Console" }).click();
  await ez.page.getByRole("combobox", { name: "Evaluate" }).fill("text + text");
  await ez.page.keyboard.press("Enter");
  await ez.page.getByRole("log", { name: "Results" }).getByText("onerror").waitFor();
  await ez.page.getByRole("tab", { name: "Picture" }).click();
  await ez.page.locator(".object", { hasText: "onerror" }).first().waitFor();
  await isClean(ez);
  await ez.page.getByRole("tab", { name: "Output" }).click();
  await ez.press("Continue");
  await ez.says("onerror");
  await isClean(ez);
  await ez.press("Continue");
  await ez.log.locator(".report", { hasText: "onerror" }).waitFor();
  await isClean(ez);
});

test("markup in the names of files and of wrong things stays text", async (ez) => {
  await ez.press("New file");
  const name = ez.page.getByRole("dialog").getByLabel("Name");
  await name.fill("<b id=injected>.ez");
  await ez.press("Add");
  await ez.write(`import @std\ndo main() {\n    std.println("${MARKUP}" + 1)\n}\n`);
  await ez.press("More about <b id=injected>.ez");
  await ez.page.getByRole("menuitem", { name: "Make it" }).click();
  await ez.press("Run");
  await ez.log.locator(".report").first().waitFor();
  await isClean(ez);
});

test("characters that hide text or change its order are seen", async (ez) => {
  await ez.writeMain('    temp s string = "a\\x1b[31mb\\x07${char(0x202e)}cba${char(0x200b)}"\n    println(s)');
  await ez.run();
  const printed = await ez.printed();
  if (!printed) assert.fail(await ez.log.textContent());
  assert.equal(/[\u001b\u0007\u202e\u200b]/.test(printed), false, JSON.stringify(printed));
  assert.match(printed, /a␛\[31mb␇/);
});

test("a program that fills the memory ends with an error, and the page goes on", async (ez) => {
  await ez.writeMain('    temp all [string] = {}\n    temp s string = "0123456789abcdef"\n    loop {\n        s = s + s\n        println(len(s))\n    }');
  await ez.run();
  await ez.log.locator(".report").first().waitFor();
  await ez.writeMain('    println("next")');
  await ez.run();
  assert.equal(await ez.printed(), "next\n");
});

test("a program that calls itself for ever ends with an error", async (ez) => {
  await ez.write("import @std\nusing std\ndo f(n int) -> int {\n    return f(n + 1) + 1\n}\ndo main() {\n    println(f(0))\n}\n");
  await ez.run();
  await ez.log.locator(".report").first().waitFor();
  await ez.says("exit code 1");
});

test("deep calls are shown by the page", async (ez) => {
  await ez.write("import @std\nusing std\ndo f(n int) -> int {\n    if n == 0 {\n        return 0\n    }\n    return f(n - 1) + 1\n}\ndo main() {\n    println(f(2000))\n}\n");
  await ez.clickGutter(5);
  await ez.debug(5);
  await ez.page.locator("#calls .more button").click();
  await ez.page.locator("#calls button").nth(149).waitFor();
  assert.ok(await ez.page.locator("#calls button").count() < 200);
});

test("a long value and a long line do not stop the page", async (ez) => {
  await ez.writeMain('    temp s string = "x"\n    for i in range(0, 16) {\n        s = s + s\n    }\n    temp list [int] = {}\n    println(s)\n    println("end")');
  await ez.clickGutter(10);
  await ez.debug(10);
  await ez.hasValue("s", "xxx");
  assert.equal((await ez.printed()).length, 65537);
});

test("a program that grows for ever while it is debugged stops at the error", async (ez) => {
  await ez.write("import @std, @arrays\nusing std\ndo main() {\n    temp all [int] = {}\n    loop { arrays.append(all, 1) }\n}\n");
  await ez.debug(4);
  await ez.press("Continue");
  await ez.says("out of memory");
  // Nothing is named that only a terminal has.
  assert.doesNotMatch(await ez.happened.textContent(), /--|\bez /);
  // An array of many millions opens by the page.
  await ez.variable("all").click();
  await ez.page.locator("#variables .row.more", { hasText: "more" }).waitFor();
  assert.ok((await ez.page.locator("#variables .row").count()) < 150);
});
