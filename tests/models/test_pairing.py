from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import Code, SlipstreamError
from app.models.facts import ModelFile, read_facts
from app.models.gguf import read_header
from app.models.pairing import DraftCandidate, Measured, PairVerdict, check_pair, suggest_drafts
from app.models.vocabulary import NO_TOKEN, Vocabulary, read_vocabulary
from tests.models import gguf_writer as writer


def vocabulary(path: Path, tokens: list[bytes], *, model: str = "gpt2", pre: str = "qwen2", **extra: writer.Plain
               ) -> Vocabulary:
    keys = writer.tokenizer(tokens, model=model, pre=pre, **extra)
    path.write_bytes(writer.build({"general.architecture": "x", **keys}))
    return read_vocabulary(read_header(path))


def compare(folder: Path, target: list[bytes], draft: list[bytes], both: dict[str, writer.Plain] | None = None,
            **draft_only: writer.Plain) -> PairVerdict:
    shared = both or {}
    return check_pair(
        vocabulary(folder / "t.gguf", target, **shared),  # type: ignore[arg-type]
        vocabulary(folder / "d.gguf", draft, **{**shared, **draft_only}),  # type: ignore[arg-type]
    )


def test_the_llama_3_pair_passes(tmp_path: Path) -> None:
    tokens = writer.words(128_256)
    verdict = compare(tmp_path, tokens, tokens, {"pre": "llama-bpe", "bos_token_id": 128_000, "eos_token_id": 128_009})
    assert verdict.compatible
    assert "128,256" in verdict.reason


def test_the_qwen_2_5_pair_passes_though_padded_differently(tmp_path: Path) -> None:
    """C04."""
    tokens = writer.words(151_936)
    padded = tokens + [f"[PAD{index}]".encode() for index in range(151_936, 152_064)]
    verdict = compare(tmp_path, padded, tokens, {"add_bos_token": False})
    assert verdict.compatible
    assert "128 padding tokens" in verdict.reason


def test_one_more_than_128_is_refused(tmp_path: Path) -> None:
    verdict = compare(tmp_path, writer.words(1129), writer.words(1000))
    assert not verdict.compatible
    assert "1,129" in verdict.reason
    assert "1,000" in verdict.reason


def test_the_first_differing_token_is_named(tmp_path: Path) -> None:
    """C05."""
    target, draft = writer.words(200), writer.words(200)
    target[139], draft[139] = b"<unused>", b"[toxicity=0]"
    draft[150] = b"later"
    verdict = compare(tmp_path, target, draft)
    assert verdict == PairVerdict(
        False, "Token 139 is `<unused>` in the target and `[toxicity=0]` in the draft.", 139, "<unused>", "[toxicity=0]"
    )


@pytest.mark.parametrize(("place", "compatible"), [(0, True), (4, True), (5, False), (199, False)])
def test_the_first_five_tokens_do_not_count(tmp_path: Path, place: int, compatible: bool) -> None:
    draft = writer.words(200)
    draft[place] = b"other"
    assert compare(tmp_path, writer.words(200), draft).compatible is compatible


def test_texts_are_compared_as_the_engine_holds_them(tmp_path: Path) -> None:
    target, draft = writer.words(50), writer.words(50)
    target[20], draft[20] = b"same\0one", b"same\0two"
    target[21], draft[21] = b"", b"[EMPTY_21]"
    assert compare(tmp_path, target, draft).compatible


def test_tokens_are_shown_as_a_person_reads_them(tmp_path: Path) -> None:
    target, draft = writer.words(50), writer.words(50)
    target[9], draft[9] = "Ġxin".encode(), "Ċ".encode()
    verdict = compare(tmp_path, target, draft)
    assert (verdict.difference_target, verdict.difference_draft) == (" xin", "\\n")
    draft[9] = b"x" * 500
    assert len(compare(tmp_path, target, draft).difference_draft) == 40


def test_other_kinds_of_tokenizer_are_refused(tmp_path: Path) -> None:
    verdict = compare(tmp_path, writer.words(50), writer.words(50), model="llama", pre="default")
    assert not verdict.compatible
    assert "byte-pair" in verdict.reason
    assert "sentencepiece" in verdict.reason


@pytest.mark.parametrize(
    ("both", "draft_only", "compatible"),
    [
        ({}, {"add_bos_token": True}, False),
        ({}, {"bos_token_id": 7}, True),
        ({"add_bos_token": True, "bos_token_id": 6}, {"bos_token_id": 7}, False),
        ({"add_bos_token": True, "bos_token_id": 6}, {"bos_token_id": 6}, True),
        ({}, {"add_eos_token": True}, False),
        ({"add_eos_token": True, "eos_token_id": 6}, {"eos_token_id": 7}, False),
        ({"eos_token_id": 6}, {"eos_token_id": 7}, True),
        ({"pre": "llama-bpe"}, {"pre": "qwen2"}, False),
        ({"pre": "llama-bpe", "bos_token_id": 9}, {"pre": "qwen2", "add_bos_token": True}, True),
        ({"pre": "qwen2"}, {"pre": "smollm"}, True),
        ({"pre": "gemma4", "add_bos_token": False}, {"add_bos_token": True}, True),
    ],
)
def test_the_ends_of_a_text_count_when_they_are_added(
    tmp_path: Path, both: dict[str, writer.Plain], draft_only: dict[str, writer.Plain], compatible: bool
) -> None:
    tokens = writer.words(50)
    assert compare(tmp_path, tokens, tokens, both, **draft_only).compatible is compatible


@pytest.mark.parametrize(
    ("model", "pre", "add_bos", "add_eos", "bos", "eos"),
    [
        ("gpt2", "qwen2", False, False, 11, 11),
        ("gpt2", "llama-bpe", True, False, 11, 11),
        ("gpt2", "tekken", True, False, 11, 11),
        ("gpt2", "glm4", False, False, NO_TOKEN, 11),
        ("llama", "default", True, False, 1, 2),
        ("bert", "", True, False, NO_TOKEN, NO_TOKEN),
        ("t5", "", False, True, NO_TOKEN, 1),
        ("rwkv", "", False, False, NO_TOKEN, NO_TOKEN),
        ("plamo2", "", False, False, 1, 2),
        ("gemma4", "anything", True, False, NO_TOKEN, NO_TOKEN),
    ],
)
def test_defaults_of_keys_that_are_left_out(
    tmp_path: Path, model: str, pre: str, add_bos: bool, add_eos: bool, bos: int, eos: int
) -> None:
    found = vocabulary(tmp_path / "v.gguf", writer.words(50), model=model, pre=pre)
    assert (found.add_bos, found.add_eos, found.bos_id, found.eos_id) == (add_bos, add_eos, bos, eos)


def test_special_ids_outside_the_vocabulary_take_the_default(tmp_path: Path) -> None:
    found = vocabulary(tmp_path / "v.gguf", writer.words(50), bos_token_id=50, eos_token_id=49)
    assert (found.bos_id, found.eos_id) == (11, 49)
    tiny = vocabulary(tmp_path / "w.gguf", writer.words(8))
    assert tiny.bos_id == NO_TOKEN


@pytest.mark.parametrize("model", ["", "no_vocab", "strange"])
def test_no_vocabulary_is_said(tmp_path: Path, model: str) -> None:
    path = tmp_path / "v.gguf"
    path.write_bytes(writer.build({"general.architecture": "x", "tokenizer.ggml.model": model}))
    with pytest.raises(SlipstreamError) as caught:
        read_vocabulary(read_header(path))
    assert caught.value.code == Code.MODEL_UNSUPPORTED


def facts(path: str, parameters: int, **changes: object) -> ModelFile:
    fields: dict[str, object] = {
        "path": path, "name": path, "kind": "chat", "architecture": "llama", "size_label": "", "parameters": parameters,
        "file_bytes": parameters // 2, "weights_bytes": parameters // 2, "quantisation": "Q4_K_M",
        "bits_per_weight": 4.8, "ctx_train_tokens": 8192, "layers": 4, "embedding_length": 64,
        "feed_forward_length": 128, "heads": 4, "kv_heads": [2] * 4, "head_dim_k": 16, "head_dim_v": 16,
        "vocab_type": "gpt2", "vocab_pre": "qwen2", "vocab_size": 50, "has_chat_template": True,
        "matrix_bytes_by_type": {"Q4_K": parameters // 2},
    }
    return ModelFile(**{**fields, **changes})  # type: ignore[arg-type]


def test_suggestions_come_with_reasons_and_the_best_first(tmp_path: Path) -> None:
    ours = vocabulary(tmp_path / "v.gguf", writer.words(50))
    other = vocabulary(tmp_path / "w.gguf", writer.words(50, salt="x"))
    target = facts("target", 14_000_000_000)
    candidates = [
        DraftCandidate(facts("half", 9_000_000_000), ours),
        DraftCandidate(facts("fifteenth", 1_000_000_000), ours),
        DraftCandidate(facts("fifteenth-bf16", 1_000_000_000, quantisation="BF16"), ours),
        DraftCandidate(facts("quarter", 3_500_000_000), ours),
        DraftCandidate(facts("stranger", 1_000_000_000), other),
        DraftCandidate(facts("projector", 1_000_000_000, kind="projector"), None),
        DraftCandidate(facts("head", 1_000_000_000, kind="draft-head", draft_method="draft-eagle3"), None),
        DraftCandidate(facts("broken", 1_000_000_000), None, trouble="The file is cut short."),
        DraftCandidate(target, ours),
    ]
    suggestions = suggest_drafts(target, ours, candidates)
    names = [suggestion.facts.name for suggestion in suggestions]
    assert names[:2] == ["fifteenth", "quarter"]
    assert "target" not in names
    assert len(names) == len(candidates) - 1
    by_name = {suggestion.facts.name: suggestion for suggestion in suggestions}
    assert [name for name in names if by_name[name].recommended] == ["fifteenth", "quarter"]
    assert all(suggestion.verdict.reason for suggestion in suggestions)
    assert "Token 5" in by_name["stranger"].verdict.reason
    assert "draft-eagle3" in by_name["head"].verdict.reason
    assert by_name["broken"].verdict.reason == "The file is cut short."
    assert any("too large" in note for note in by_name["half"].notes)
    assert any("not quantised" in note for note in by_name["fifteenth-bf16"].notes)


def test_a_draft_that_does_not_fit_is_not_recommended_and_says_why(tmp_path: Path) -> None:
    ours = vocabulary(tmp_path / "v.gguf", writer.words(50))
    target = facts("target", 14_000_000_000)
    fits = DraftCandidate(facts("small", 500_000_000), ours, needed_bytes=400_000_000)
    large = DraftCandidate(facts("large", 1_000_000_000), ours, needed_bytes=900_000_000)
    suggestions = suggest_drafts(target, ours, [large, fits], free_bytes=500_000_000)
    assert [(s.facts.name, s.recommended) for s in suggestions] == [("small", True), ("large", False)]
    assert suggestions[1].notes[0] == "It needs 900 MB and 500 MB are free beside the target."


def test_the_catalogs_pairs_come_first_and_its_cautions_are_shown(tmp_path: Path) -> None:
    ours = vocabulary(tmp_path / "v.gguf", writer.words(50))
    target = facts("target", 14_000_000_000)
    candidates = [DraftCandidate(facts(name, 1_000_000_000), ours) for name in ("a", "b", "c")]
    found = suggest_drafts(target, ours, candidates, cautions={"c": "", "a": "It often guesses wrong."})
    assert [suggestion.facts.name for suggestion in found] == ["c", "b", "a"]
    assert found[2].notes[0] == "It often guesses wrong."
    assert [suggestion.recommended for suggestion in found] == [True, True, False], "a caution is no recommendation"
    gained = suggest_drafts(target, ours, candidates, cautions={"a": "It often guesses wrong."},
                            measured={"a": Measured(1.4, "Faster here.")})
    assert (gained[0].facts.name, gained[0].recommended, gained[0].notes[0]) == ("a", True, "Faster here.")
    assert "The catalog knows this pair." in found[0].notes


@pytest.mark.model
def test_the_real_pair_passes(target_q4: Path, draft_q4_k_m: Path) -> None:
    assert check_pair(*(read_vocabulary(read_header(path)) for path in (target_q4, draft_q4_k_m))).compatible


@pytest.mark.model
def test_gemma_as_draft_for_qwen_is_refused_with_the_reason(target_q4: Path, gemma: Path, smollm: Path) -> None:
    """C05."""
    qwen, strange, small = (read_vocabulary(read_header(path)) for path in (target_q4, gemma, smollm))
    verdict = check_pair(qwen, strange)
    assert not verdict.compatible
    assert "sentencepiece" in verdict.reason
    assert "49,152" in check_pair(qwen, small).reason


@pytest.mark.model
def test_names_play_no_part(tmp_path: Path, target_q4: Path, gemma: Path) -> None:
    """C05."""
    disguised = tmp_path / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    disguised.symlink_to(gemma)
    assert read_facts(read_header(disguised)).architecture == "gemma3"
    assert not check_pair(*(read_vocabulary(read_header(path)) for path in (target_q4, disguised))).compatible
