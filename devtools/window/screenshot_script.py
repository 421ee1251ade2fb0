"""The scripted conversation and models that the pictures of the documentation show."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

from app.chat.store import Summary
from app.models.download import DownloadState
from app.models.facts import Kind, ModelFile
from app.models.library import LibraryEntry
from app.models.pairing import PairVerdict, Suggestion
from app.protocol import AnyEvent, Chunk, Device, Done, Notice, PrefillProgress
from app.records import MemoryFigures, Piece, SpeculationFigures, Timings
from app.sentences import say

PLAIN_RATE = 14.8

QUESTIONS = (
    "Write a function that merges overlapping intervals, with type hints.",
    "What is its complexity, and which inputs should I test?",
)

ANSWERS = (
    """Sort the intervals by their start, then walk over them once and extend the last one while they overlap:

```python
def merge(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    \"\"\"Merge overlapping intervals and return them in order.\"\"\"
    merged: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
```

Intervals that only touch, such as `(1, 3)` and `(3, 5)`, count as overlapping here. Use `<` instead of `<=` if \
they should stay apart.
""",
    """Sorting dominates: **O(n log n)** time and O(n) space for the result. Worth testing:

1. an empty list, which gives an empty list
2. one interval inside another, `[(1, 9), (2, 3)]`
3. intervals that touch at one point
4. input that is not sorted

| input | result |
|---|---|
| `[(1, 3), (2, 6)]` | `[(1, 6)]` |
| `[(1, 9), (2, 3)]` | `[(1, 9)]` |
""",
)

NOTICE = say("Drafting up to {count} tokens with {name}: {gain} here.", count=8, name="Qwen2.5 0.5B", gain="2.1×")


def answer_events(text: str, request_id: int, seed: int, finished: bool = True) -> Iterator[AnyEvent]:
    """Events of one answer: four plain steps, then drafts of which about two thirds are accepted."""
    chance = random.Random(seed)
    tokens = [*re.findall(r"\s*\S{1,6}", text), text[len(text.rstrip()) :]]
    yield PrefillProgress(request_id=request_id, done_tokens=64, total_tokens=64)
    position, at_s, drafted_all, accepted_all, steps = 0, 0.0, 0, 0, 0
    while position < len(tokens):
        plain = steps < 5
        drafted = 0 if plain else chance.choice((3, 4, 6, 8))
        accepted = min(sum(chance.random() < 0.78 for _ in range(drafted)), len(tokens) - position - 1, drafted)
        step = tokens[position : position + accepted + 1]
        step_s = (1.0 if plain else 1.55 + 0.12 * drafted) / PLAIN_RATE * chance.uniform(0.94, 1.08)
        at_s, position, steps = at_s + step_s, position + len(step), steps + 1
        drafted_all, accepted_all = drafted_all + drafted, accepted_all + accepted
        yield Chunk(
            request_id=request_id, pieces=[Piece(text=t, drafted=i < accepted) for i, t in enumerate(step)],
            drafter="draft" if drafted else "", num_draft_tokens=drafted, num_accepted_draft_tokens=accepted,
            step_tokens=len(step), step_s=step_s, emitted_tokens=position, decode_s=at_s,
        )
        if steps == 12:
            yield Notice(request_id=request_id, message=NOTICE)
    if finished:
        yield Done(
            request_id=request_id, reason="eos", text=text, token_ids=list(range(len(tokens))), prompt_tokens=64,
            timings=Timings(prefill_s=0.4, decode_s=at_s, time_to_first_token_s=0.42,
                            tokens_per_second=len(tokens) / at_s),
            speculation=SpeculationFigures(
                method="auto", steps=steps, num_draft_tokens=drafted_all, num_accepted_draft_tokens=accepted_all,
                draft_acceptance_rate=accepted_all / drafted_all, mean_acceptance_length=len(tokens) / steps,
            ),
            memory=MemoryFigures(),
        )


def model_file(name: str, file: str, size_bytes: int, parameters: int, quantisation: str, kind: Kind = "chat",
               layers: int = 28) -> ModelFile:
    return ModelFile(
        path=f"/models/{file}", name=name, kind=kind, architecture="qwen2", size_label="", parameters=parameters,
        file_bytes=size_bytes, weights_bytes=size_bytes, quantisation=quantisation, bits_per_weight=4.8,
        ctx_train_tokens=32768, layers=layers, embedding_length=1536, feed_forward_length=8960, heads=12,
        kv_heads=[2] * layers, head_dim_k=128, head_dim_v=128, vocab_type="gpt2", vocab_pre="qwen2", vocab_size=151936,
        has_chat_template=kind == "chat", bytes_by_type={}, matrix_bytes_by_type={}, tied_bytes_by_type={},
    )


TARGET = model_file("Qwen2.5-Coder 1.5B", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", 1_117_320_768, 1_543_714_304,
                    "Q4_K_M")
DRAFT = model_file("Qwen2.5-Coder 0.5B", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", 491_400_064, 494_032_768, "Q4_K_M",
                   layers=24)
OTHERS = (
    model_file("SmolLM2 135M Instruct", "SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432, 134_515_008, "Q4_1", layers=30),
    model_file("DeepSeek R1 Distill Qwen 32B", "DeepSeek-R1-Distill-Qwen-32B-Q4_K_M-imatrix-long-name.gguf",
               19_851_336_256, 32_763_876_352, "Q4_K_M", layers=64),
    model_file("Gemma 3 270m", "gemma-3-270m-q4_k_m.gguf", 253_113_024, 268_098_176, "Q4_K_M", kind="base", layers=18),
)


def entries() -> list[LibraryEntry]:
    return [LibraryEntry(Path(facts.path), "Slipstream", facts) for facts in (DRAFT, *OTHERS, TARGET)]


def suggestions() -> list[Suggestion]:
    return [
        Suggestion(DRAFT, PairVerdict(True, "Same vocabulary of 151,936 tokens."), True, 1.0, 3.1,
                   ["It is 3.1 times smaller than the target; 10 to 20 times gains most."]),
        Suggestion(OTHERS[2], PairVerdict(False, "The target's tokenizer is of the gpt2 kind and the draft's of the "
                                                 "llama kind."), False, 0.0, 5.8),
        Suggestion(OTHERS[0], PairVerdict(False, "The target's vocabulary has 151,936 tokens and the draft's 49,152; "
                                                 "they may differ by 128 at most."), False, 0.0, 11.0),
    ]


def _summary(number: int, title: str, hours_ago: float, pinned: bool = False) -> Summary:
    return Summary(id=str(number), title=title, updated_s=time.time() - 3600 * hours_ago, pinned=pinned)


CONVERSATIONS = [
    _summary(1, "Write a function that merges overlapping intervals", 0.02),
    _summary(2, "Weekly report template", 70, pinned=True),
    _summary(3, "Explain this SQL query plan, and what an index would change in it", 3),
    _summary(4, "Phở recipe for six", 27),
    _summary(5, "Regular expression for ISO dates", 50),
    _summary(6, "Names for a sailing boat", 400),
]
SHOWN = "1"
CONVERSATIONS.sort(key=lambda summary: not summary.pinned)

DEVICES = [
    Device(name="CPU", description="AMD Ryzen 7 7840U", kind="cpu", free_bytes=9_800_000_000,
           total_bytes=16_000_000_000),
    Device(name="CUDA0", description="NVIDIA GeForce RTX 4070", kind="gpu", free_bytes=10_900_000_000,
           total_bytes=12_000_000_000),
]


def first_downloads() -> list[DownloadState]:
    """The starter pair on its way."""
    return [
        DownloadState(id="draft", repo="Qwen", file=Path(DRAFT.path).name, path=DRAFT.path, status="done",
                      done_bytes=DRAFT.file_bytes, total_bytes=DRAFT.file_bytes),
        DownloadState(id="target", repo="Qwen", file=Path(TARGET.path).name, path=TARGET.path, status="running",
                      done_bytes=420_000_000, total_bytes=TARGET.file_bytes, bytes_per_second=11.8e6, seconds_left=59),
    ]
