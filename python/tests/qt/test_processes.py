"""The panels of a program and of those that it starts."""

import project
import pytest

from ez_debugger.qt import ProcessPanels

WORKER = """do main() {
    temp total int = 0
    for i in range(0, 3) {
        total += i
    }
    println("worker ${total}")
}
"""


def boss(command):
    return f"""import @os
do main() {{
    temp text, problem = os.exec_output(`{command}`)
    println("got ${{text}}")
}}
"""


@pytest.fixture
def processes(window, tmp_path):
    (tmp_path / "worker.ez").write_text(f"import @std\nusing std\n{WORKER}", encoding="utf-8")
    window.panels = ProcessPanels(window.panel)
    window.addWidget(window.panels)
    window.program(boss(f"{project.EZ} worker.ez"), children=True, history=False, stop_on_entry=False)
    yield window.panels
    window.panels.close_all()


def test_a_child_has_panels_of_its_own(window, processes, tmp_path):
    window.panel.store.toggle(str(tmp_path / "worker.ez"), 6)
    window.panel.start()
    window.until(lambda: processes.children_panels)
    (pid, child), = processes.children_panels.items()
    window.until(lambda: child.session.state.stop is not None)
    assert child.session.state.stop.location.line == 6
    # It is the one that is shown.
    assert processes.pages.currentWidget() is child
    assert processes.texts() == ["p.ez: running", f"worker.ez ({pid}): stopped"]
    child.store.remove_all()
    child.session.continue_()
    window.until_end()
    window.until(lambda: child.session.state.status == "exited")
    assert window.output().startswith("got worker 3\n")
    assert processes.pages.currentWidget() is window.panel
    # A new run begins with the program alone.
    window.panel.start()
    window.until(lambda: processes.children_panels and pid not in processes.children_panels)
    assert len(processes.texts()) == 2


def test_a_child_runs_on_without_its_panels(window, processes, tmp_path):
    window.panel.store.toggle(str(tmp_path / "worker.ez"), 6)
    window.panel.start()
    window.until(lambda: processes.children_panels)
    (child,) = processes.children_panels.values()
    window.until(lambda: child.session.state.stop is not None)
    child.session.close()
    window.until_end()
    assert window.output().startswith("got worker 3\n")


def test_a_session_ends_with_that_of_its_parent(window, processes, tmp_path):
    window.panel.store.toggle(str(tmp_path / "worker.ez"), 6)
    window.panel.start()
    window.until(lambda: processes.children_panels)
    (child,) = processes.children_panels.values()
    window.until(lambda: child.session.state.stop is not None)
    window.session.stop()
    window.until_end()
    window.until(lambda: child.session.state.status == "exited")
