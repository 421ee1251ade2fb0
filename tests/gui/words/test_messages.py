"""What is said below the window, in the window's language."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.compare.interval import Estimate
from app.compare.verdict import Kind, _headline
from app.errors import Code, SlipstreamError
from app.gui.words import messages
from app.gui.words.message_texts import TEXTS


def test_in_english_all_stays_as_it_is(qapp: QApplication) -> None:
    for text in (*TEXTS, "Something nobody has written down. No model is loaded."):
        assert messages.localise(text) == text


def test_values_go_into_their_places(vietnamese: None) -> None:
    said = messages.localise("The prompt has 9,000 tokens, but the context holds 4,096. "
                             "Shorten it, start a new chat, or load the model with a larger context.")
    assert said == ("Lời nhắc có 9,000 token, nhưng ngữ cảnh chỉ chứa được 4,096. "
                    "Hãy rút ngắn, bắt đầu cuộc trò chuyện mới, hoặc nạp mô hình với ngữ cảnh lớn hơn.")


def test_what_is_not_known_stays_between_what_is(vietnamese: None) -> None:
    said = messages.localise("Odd weather in v1.5. The prompt is empty.\nFog. Try again.")
    assert said == "Odd weather in v1.5. Lời nhắc trống.\nFog. Hãy thử lại."
    assert messages.localise("") == ""
    assert messages.localise("  ") == "  "


def test_a_value_never_swallows_a_sentence(vietnamese: None) -> None:
    said = messages.localise("Fog. host.org cannot be reached. Try again later.")
    assert said == "Fog. Không kết nối được với host.org. Hãy thử lại sau."


def test_values_with_braces_and_backslashes(vietnamese: None) -> None:
    assert messages.localise(r"There is no file “C:\1\{x}.gguf”.") == r"Không có tệp “C:\1\{x}.gguf”."


def test_an_error_is_message_and_hint(vietnamese: None) -> None:
    error = SlipstreamError(Code.OUT_OF_MEMORY, "The engine ran out of memory.", "Check the folder.")
    assert messages.words_of(error) == "Bộ máy đã hết bộ nhớ. Hãy kiểm tra thư mục."


def test_clauses_of_a_verdict(vietnamese: None) -> None:
    said = messages.localise_clauses("31.0 against 14.8 tokens/s; 71% of drafted tokens accepted; same text.")
    assert said == "31.0 so với 14.8 token/giây; 71% số token nháp được chấp nhận; cùng văn bản."


@pytest.mark.parametrize("kind", ["faster", "slower", "same", "undecided"])
def test_headlines_of_kept_comparisons(vietnamese: None, kind: Kind) -> None:
    headline = _headline(kind, Estimate(factor=1.2, low=1.1, high=1.3))
    assert "times" in headline
    assert "times" not in messages.localise(headline)


def test_every_text_is_found_again(vietnamese: None) -> None:
    """Also with something in its places, and none is taken for another one."""
    for text in TEXTS:
        values = {name: f"v{index}" for index, name in enumerate(messages._PLACE.findall(text))}
        filled = text.format_map(values)
        assert messages.localise(filled) == messages.localise(text).format_map(values)
        assert messages.localise(filled) != filled
