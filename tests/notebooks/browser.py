"""JupyterLab in a headless Chromium: a breakpoint in the margin of a cell stops it, variables show, a step moves the mark.

With PICTURE=FILE, writes a picture of the stop. CHROMIUM names the browser.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

CELLS = [
    """\
do area(width int, height int) -> int {
    temp size int = width * height
    size += 1
    return size
}""",
    """\
temp sides [int] = {3, 4}
println(area(sides[0], sides[1]))""",
]
LIMIT = 60_000


def notebook():
    cells = [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": text, "execution_count": None, "outputs": []}
        for number, text in enumerate(CELLS)
    ]
    kernel = {"display_name": "EZ", "language": "ez", "name": "ez"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


def served(folder):
    """Starts JupyterLab; returns the process and its address."""
    settings = pathlib.Path(folder) / "config" / "labconfig"
    settings.mkdir(parents=True)
    # It would ask whether to show news.
    disabled = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (settings / "page_config.json").write_text(json.dumps(disabled))
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(settings.parent)}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0"]
    command += ["--ServerApp.ip=127.0.0.1", "--IdentityProvider.token="]
    server = subprocess.Popen(command, cwd=pathlib.Path(folder) / "notebooks", env=environment, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        found = re.search(r"http://127\.0\.0\.1:\d+/lab", line)
        if found:
            return server, found.group()
    raise SystemExit("JupyterLab does not start")


def debugged(page):
    """Debugs the notebook as a user does."""
    page.get_by_role("tab", name="area.ipynb").wait_for()
    bug = page.locator(".jp-DebuggerBugButton")
    bug.wait_for()
    page.locator(".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
    expect(bug).to_be_enabled()
    bug.click()
    page.locator(".jp-DebuggerBugButton[aria-pressed='true']").wait_for()
    # It takes breakpoints once its panel names the notebook.
    page.locator(".jp-DebuggerSidebar").get_by_text("area.ipynb").wait_for()
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    margin = cells.nth(0).locator(".cm-breakpoint-gutter .cm-gutterElement")
    # The first element only measures; the second line is the third.
    margin.nth(2).click()
    margin.nth(2).locator(".cm-breakpoint-icon").wait_for()
    cells.nth(0).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    mark = page.locator(".jp-DebuggerEditor-highlight")
    mark.first.wait_for()
    assert "width * height" in mark.first.inner_text(), mark.first.inner_text()
    variables = page.locator(".jp-DebuggerVariables")
    expect(variables).to_contain_text("width")
    expect(variables).to_contain_text("height")
    if "PICTURE" in os.environ:
        page.screenshot(path=os.environ["PICTURE"])
    page.locator("jp-button[data-command='debugger:next'], [data-command='debugger:next']").first.click()
    expect(mark.first).to_contain_text("size += 1")
    expect(variables).to_contain_text("size")
    page.locator("jp-button[data-command='debugger:continue'], [data-command='debugger:continue']").first.click()
    expect(cells.nth(1)).to_contain_text("13")


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        notebooks = pathlib.Path(folder) / "notebooks"
        notebooks.mkdir()
        (notebooks / "area.ipynb").write_text(notebook())
        server, address = served(folder)
        try:
            arguments = ["--no-sandbox", "--disable-gpu"]
            browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=arguments)
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.set_default_timeout(LIMIT)
            expect.set_options(timeout=LIMIT)
            page.goto(f"{address}/tree/area.ipynb")
            try:
                debugged(page)
            except BaseException:
                page.screenshot(path=os.path.join(tempfile.gettempdir(), "ez-notebook-failed.png"))
                raise
            browser.close()
        finally:
            server.terminate()
            server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
