from __future__ import annotations

import pytest

from app.compare.prompt_text import read_prompts
from app.errors import Code, SlipstreamError

JSONL = '{"id": "a", "kind": "code", "messages": [{"role": "user", "content": "Sort."}]}\n'


def texts(text: str) -> list[str]:
    return [prompt.messages[0].content for prompt in read_prompts(text, "p")]


def test_json_lines_keep_ids_and_kinds() -> None:
    prompt = read_prompts("\ufeff" + JSONL, "p")[0]
    assert (prompt.id, prompt.kind, prompt.messages[0].content) == ("a", "code", "Sort.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One prompt\nof two lines\n", ["One prompt\nof two lines"]),
        ("One\n\nTwo\r\n \r\n\n\nThree", ["One", "Two", "Three"]),
        ("def f():\n\n    pass\n---\nTwo\n\nstill two\n--- \n", ["def f():\n\n    pass", "Two\n\nstill two"]),
        ("a --- b\n\n----\n", ["a --- b", "----"]),
    ],
)
def test_plain_text_is_parted_by_rules_or_by_empty_lines(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_plain_prompts_have_ids_of_their_own() -> None:
    assert [prompt.id for prompt in read_prompts("One\n\nTwo", "p")] == ["own-1", "own-2"]


@pytest.mark.parametrize("text", ["", " \n\n", "{broken", "---\n---"])
def test_a_file_without_prompts_is_refused(text: str) -> None:
    with pytest.raises(SlipstreamError) as caught:
        read_prompts(text, "p.txt")
    assert caught.value.code == Code.FILE
    assert "p.txt" in caught.value.message
