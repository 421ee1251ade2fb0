from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from app.cli import inspect as inspect_command
from app.cli.inspect import add_inspect_arguments, run_inspect
from app.installed import Finding, Proof
from tests.models import gguf_writer as writer


def inspect(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    parser = argparse.ArgumentParser()
    add_inspect_arguments(parser)
    status = run_inspect(parser.parse_args(list(arguments)))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_json_report_holds_what_the_contract_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(writer.write_model(tmp_path / "t.gguf", "Target", layers=4))
    draft = str(writer.write_model(tmp_path / "d.gguf", "Draft"))
    status, out, err = inspect(capsys, target, "--draft", draft, "--ctx", "2048", "--cache-type-k", "q8_0", "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert [file["path"] for file in report["files"]] == [target, draft]
    first = report["files"][0]
    assert first["architecture"] == "llama"
    assert first["quantisation"] == "Q4_K_M"
    assert first["ctx_train_tokens"] == 8192
    assert first["has_chat_template"] is True
    assert first["memory"]["kv_bytes"] == 2048 * 4 * 2 * 64 * 3.0625
    assert {"weights_bytes", "kv_bytes", "compute_bytes", "output_bytes", "total_bytes"} <= set(first["memory"])
    (pair,) = report["pairs"]
    assert (pair["target"], pair["draft"], pair["compatible"]) == (target, draft, True)
    assert pair["reason"]
    assert pair["memory"]["process_bytes"] > 0
    sums = [file["memory"]["total_bytes"] for file in report["files"]]
    assert pair["memory"]["total_bytes"] == sum(sums) + pair["memory"]["process_bytes"]


def test_it_says_which_engines_are_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = str(writer.write_model(tmp_path / "m.gguf"))
    wrong = Finding(kind="Q4_1", longest=24, trouble="passes of 32 rows come out wrong")
    proofs = {
        "llama": Proof(
            engine="llama", extra_buffers=False, before="it died of SIGILL", findings=[Finding(kind="Q8_0")]
        ),
        "ik": Proof(engine="ik", findings=[wrong]),
    }
    monkeypatch.setattr(inspect_command, "installed_engines", lambda: {"llama": "l 1", "ik": "i 2"})
    monkeypatch.setattr(inspect_command, "known_proofs", lambda: proofs)
    _, out, _ = inspect(capsys, model)
    assert "l 1: proven on this processor; without extra buffers, since with them it died of SIGILL\n" in out
    assert "wrong with weights of the types Q4_1 (passes of 32 rows come out wrong; right up to 24 rows)" in out
    _, out, _ = inspect(capsys, model, "--json")
    first, second = json.loads(out)["engines"]
    assert (first["engine"], first["proof"]["extra_buffers"]) == ("llama", False)
    assert second["proof"]["findings"][0]["longest"] == 24
    proofs.clear()
    assert "not tried on this processor yet" in inspect(capsys, model)[1]
    proofs["llama"] = Proof(engine="llama", refused="it died of SIGILL")
    assert "does not run on this processor: it died of SIGILL" in inspect(capsys, model)[1]


def test_every_ordered_pair_without_a_given_draft(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(writer.write_model(tmp_path / f"{name}.gguf", name)) for name in "abc"]
    _, out, _ = inspect(capsys, *paths, "--json")
    pairs = {(pair["target"], pair["draft"]) for pair in json.loads(out)["pairs"]}
    assert pairs == {(a, b) for a in paths for b in paths if a != b}


def test_refusals_name_the_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = writer.words(64)
    tokens[39] = b"<unused>"
    target = str(writer.write_model(tmp_path / "t.gguf", tokens=tokens))
    draft = str(writer.write_model(tmp_path / "d.gguf"))
    status, out, _ = inspect(capsys, target, "--draft", draft)
    assert status == 0
    assert "d.gguf cannot draft for t.gguf" in out
    assert "Token 39 is `<unused>` in the target and `t39` in the draft." in out


def test_a_file_that_is_no_draft_model_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(writer.write_model(tmp_path / "t.gguf"))
    draft = str(writer.write_model(tmp_path / "d.gguf", extra={"general.architecture": "clip"}))
    _, out, _ = inspect(capsys, target, "--draft", draft, "--json")
    (pair,) = json.loads(out)["pairs"]
    assert not pair["compatible"]
    assert "projector" in pair["reason"]


def test_failures_are_one_line_each_and_the_rest_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound = str(writer.write_model(tmp_path / "sound.gguf", "Sound"))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    status, out, err = inspect(capsys, str(tmp_path / "none.gguf"), str(broken), sound)
    assert status == 1
    assert "Sound" in out
    lines = err.splitlines()
    assert len(lines) == 2
    assert "There is no file" in lines[0]
    assert "broken.gguf" in lines[1]


def test_a_split_model_is_inspected_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        writer.write_model(tmp_path / f"m-{number:05}-of-00002.gguf", extra={"split.no": number - 1, "split.count": 2})
    first = tmp_path / "m-00001-of-00002.gguf"
    _, out, _ = inspect(capsys, str(first), "--json")
    (file,) = json.loads(out)["files"]
    assert file["file_bytes"] == 2 * first.stat().st_size
    (tmp_path / "m-00002-of-00002.gguf").unlink()
    _, out, _ = inspect(capsys, str(first))
    assert "m-00002-of-00002.gguf" in out


@pytest.mark.parametrize("arguments", [[], ["f", "--ctx", "-1"], ["f", "--ctx", "x"], ["f", "--cache-type-k", "q9"]])
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        inspect(capsys, *arguments)
    assert caught.value.code == 2


@pytest.mark.model
def test_the_real_pair(target_q4: Path, draft_q4_k_m: Path, gemma: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = inspect(capsys, str(target_q4), str(draft_q4_k_m), str(gemma), "--json")
    pairs = {(Path(p["target"]).name, Path(p["draft"]).name): p for p in json.loads(out)["pairs"]}
    assert pairs[target_q4.name, draft_q4_k_m.name]["compatible"]
    assert not pairs[target_q4.name, gemma.name]["compatible"]
    assert pairs[target_q4.name, gemma.name]["reason"]


@pytest.mark.model
def test_exactness_is_measured_on_request(smollm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = str(writer.write_model(tmp_path / "t.gguf"))
    status, out, err = inspect(capsys, str(smollm), broken, "--exactness", "--json", "--cache-type-k", "q8_0",
                               "--cache-type-v", "q8_0", "--flash-attn", "on")
    assert (status, "t.gguf: " in err) == (1, True)
    measured, other = json.loads(out)["files"]
    assert "exactness" not in other
    assert [each["position"] for each in measured["exactness"]["noise"]] == [60, 505, 900]
    exact = max(each["gap"] for each in measured["exactness"]["noise"]) == 0.0
    assert measured["exactness"]["is_bit_exact"] == exact
    assert measured["exactness"]["sentence"].startswith("Bit-exact" if exact else "Not bit-exact")
