from __future__ import annotations

from pathlib import Path

from devtools.bench import code_digest, results_file


def checkout(root: Path) -> Path:
    for name in ("app/engine/step.py", "app/worker/main.py", "app/methods.py", "app/gui/window.py"):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return root


def test_code_that_decides_the_speed_makes_another_file_and_no_other_code_does(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    before = code_digest(root)
    (root / "app" / "gui" / "window.py").write_text("other")
    assert code_digest(root) == before
    for name in ("app/engine/step.py", "app/methods.py"):
        (root / name).write_text("other")
        assert code_digest(root) != before
        before = code_digest(root)


def test_each_pair_has_its_own_file(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    folder = tmp_path / "cache" / "bench"
    pair = results_file(root, folder, ["--model", "/m/t.gguf", "--draft", "/m/d.gguf"])
    alone = results_file(root, folder, ["--limit", "2", "--model", "/m/t.gguf"])
    assert pair.parent == alone.parent == folder
    assert folder.is_dir()
    assert pair.name.startswith("t+d-")
    assert alone.name.startswith("t-")
    assert results_file(root, folder, ["--draft", "/m/d.gguf", "--model", "/m/t.gguf"]) == pair
