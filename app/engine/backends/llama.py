"""The only file that imports llama_cpp: models through the low-level calls of llama-cpp-python.

Facts about the library that this file relies on, and where they were checked, are in docs/architecture.md.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import llama_cpp
import numpy as np
import psutil

from app.engine.backend import (
    BATCH_TOKENS,
    AbortFlag,
    ChatTemplate,
    DecodeAbortedError,
    Logits,
    Progress,
    ThreadCount,
    thread_count,
)
from app.engine.backends.json_grammar import shape_as_gbnf
from app.engine.backends.llama_grammar import LlamaGrammar
from app.engine.backends.llama_state import MOST_STATE_BYTES, SNAPSHOTS, StateMarks, has_state, state_bytes
from app.engine.backends.processor import load_variants
from app.engine.grammar import Grammar
from app.errors import Code, SlipstreamError
from app.machine.threads import all_cores
from app.records import AUTO_LAYERS, BLOCK_CACHE_TYPES, JsonShape, LoadSettings, ModelFacts
from app.sentences import say

ABORTED_STATUS = 2
NO_SPACE_STATUS = 1
WHOLE_MODEL_LAYERS = 10_000

_Importance: Any = llama_cpp.llama_cpp.llama_model_imatrix_data
_CACHE_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "bf16": 30}
_C_LIBRARY = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
"""Its ``strlen`` tells llama.cpp, which asks after each of the hundreds of operations of a pass, whether the flag is
set: a function in Python made every pass of a small model 2 to 3% longer."""
DRAFT_BATCH_TOKENS = 128
"""Micro-batch of a draft without flash attention, which keeps the attention weights of a micro-batch."""

_FLASH = {
    "off": llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED,
    "on": llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "auto": llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO,
}


class LlamaLibrary:
    """llama.cpp as loaded into this process. Make one per process; its log lines go to ``on_log``.

    ``threads`` governs how many threads a pass takes, where the loading settings name no number; by
    itself one for each core. Without ``extra_buffers`` weights stay as they are in the file: no repacking, no AMX.
    """

    name = "llama"
    _kept_callbacks: ClassVar[list[object]] = []
    """The library calls the last one set as long as the process lives."""

    def __init__(
        self, on_log: Callable[[str], None], threads: ThreadCount | None = None, extra_buffers: bool = True
    ) -> None:
        self._threads = threads or all_cores()
        self._extra_buffers = extra_buffers

        def receive(_level: int, text: bytes, _data: ctypes.c_void_p) -> None:
            on_log(text.decode("utf-8", "replace"))

        self._log_callback = llama_cpp.llama_log_callback(receive)
        self._kept_callbacks.append(self._log_callback)
        llama_cpp.llama_log_set(self._log_callback, ctypes.c_void_p(0))
        load_variants(Path(llama_cpp.__file__).parent / "lib")
        llama_cpp.llama_backend_init()

    @staticmethod
    def describe() -> str:
        return f"llama-cpp-python {llama_cpp.__version__}"

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> LlamaModel:
        """Load a model with a context of one sequence.

        ``max_rows`` bounds the rows of logits of one pass (a longer request would end the process, so ``decode``
        refuses it).

        Raises:
            SlipstreamError: ``MODEL_NOT_FOUND``, ``MODEL_LOAD_FAILED``, ``OUT_OF_MEMORY``, ``SETTINGS_INVALID``,
                ``ABORTED``.
        """
        _check_settings(path, settings)
        model = _load_weights(path, settings, abort, on_progress, self._extra_buffers)
        try:
            context = _make_context(model, settings, max_rows)
        except SlipstreamError:
            llama_cpp.llama_model_free(model)
            raise
        return LlamaModel(path, model, context, max_rows, abort, thread_count(settings, self._threads))

    def quantize(
        self, source: str, destination: str, kind: str, *, whole: bool = False, threads: int = 0,
        widths: Mapping[str, int] | None = None,
    ) -> None:
        """Write ``source`` in another form: ``kind`` is ``bf16``, ``q8_0`` or ``q4_0``.

        ``whole`` gives the token embeddings and the output matrix that form too (llama.cpp leaves them at more bits).
        With ``whole``, matrices whose ``widths`` are given are rounded for the least squared error: llama.cpp takes the
        scale of a block of Q4_0 from its greatest weight alone, unless it is told how much each column matters; here
        all matter alike (a draft by measured columns guessed no better).

        Raises:
            SlipstreamError: ``MODEL_LOAD_FAILED`` when llama.cpp refuses.
        """
        forms = {
            "bf16": (llama_cpp.LLAMA_FTYPE_MOSTLY_BF16, 30),
            "q8_0": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0, 8),
            "q4_0": (llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0, 2),
        }
        params = llama_cpp.llama_model_quantize_default_params()
        params.ftype, tensor_type = forms[kind]
        params.allow_requantize = True
        params.nthread = threads
        if whole:
            params.token_embedding_type = tensor_type
            params.output_tensor_type = tensor_type
        if whole and widths:
            importance = _same_importance(widths)
            params.imatrix = ctypes.cast(importance, ctypes.POINTER(_Importance))
            params.pure = True  # with an importance matrix some layers would become Q4_1, which has no fast kernel here
        if llama_cpp.llama_model_quantize(os.fsencode(source), os.fsencode(destination), ctypes.byref(params)) != 0:
            raise SlipstreamError(
                Code.MODEL_LOAD_FAILED,
                say("{name} could not be written as {kind}.", name=Path(source).name, kind=kind),
                say("Check that the file is whole and that the disk has room."),
            )


def _same_importance(widths: Mapping[str, int]) -> ctypes.Array[Any]:
    """An importance matrix that weighs all columns alike, as the library takes it: its end is an empty name."""
    widest = max(widths.values())
    start = ctypes.cast((ctypes.c_float * widest)(*[1.0] * widest), ctypes.POINTER(ctypes.c_float))
    entries = [_Importance(name.encode(), start, width) for name, width in widths.items()]
    array: ctypes.Array[Any] = (_Importance * (len(entries) + 1))(*entries)
    return array


def _check_settings(path: str, settings: LoadSettings) -> None:
    if not Path(path).is_file():
        raise SlipstreamError(
            Code.MODEL_NOT_FOUND, say("The model file {name} is not there.", name=Path(path).name),
            say("Choose another model."),
        )
    if settings.flash_attn == "off" and settings.cache_type_v in BLOCK_CACHE_TYPES:
        raise SlipstreamError(
            Code.SETTINGS_INVALID,
            say("A value cache of type {type} needs flash attention.", type=settings.cache_type_v),
            say("Switch flash attention on, or take f16 for the value cache."),
        )


def _load_weights(
    path: str, settings: LoadSettings, abort: AbortFlag, on_progress: Progress, extra_buffers: bool
) -> int:
    def progress(fraction: float, _data: ctypes.c_void_p) -> bool:
        on_progress(fraction)
        return not abort

    params = llama_cpp.llama_model_default_params()
    offloads = llama_cpp.llama_supports_gpu_offload()
    auto = WHOLE_MODEL_LAYERS if offloads else 0
    params.n_gpu_layers = auto if settings.gpu_layers == AUTO_LAYERS else settings.gpu_layers
    # On a processor the weights are repacked into a second copy; a mapped file would be a first one that stays.
    # A model that barely fits is mapped all the same: the system can then drop pages instead of failing.
    fits_twice = os.path.getsize(path) < 0.85 * psutil.virtual_memory().total
    keep_mapping = offloads or not fits_twice
    params.load_mode = llama_cpp.LLAMA_LOAD_MODE_MMAP if keep_mapping else llama_cpp.LLAMA_LOAD_MODE_NONE
    callback = llama_cpp.llama_progress_callback(progress)
    params.progress_callback = callback
    params.use_extra_bufts = extra_buffers
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), params)
    if abort:
        if model:
            llama_cpp.llama_model_free(model)
        raise SlipstreamError(Code.ABORTED, say("Loading was stopped."), say("Load the model again when you need it."))
    if not model:
        raise SlipstreamError(
            Code.MODEL_LOAD_FAILED, say("The model file {name} could not be loaded.", name=Path(path).name),
            say("The file may be damaged or of a kind this version cannot read; the log says more."),
        )
    return int(model)


def _is_faster_without_flash(settings: LoadSettings) -> bool:
    """Whether a model that reads one token a pass, a draft, had better not use flash attention.

    On a processor it costs such a pass 9 ms per 1,000 cached tokens of a model of 0.5B, the plain way 2 to 3 ms, while
    reading a prompt takes a tenth longer. A target keeps it: its passes over several tokens gain less, its prompts
    cost more, and bit-exactness needs it.
    """
    on_processor = settings.gpu_layers == 0 or not llama_cpp.llama_supports_gpu_offload()
    return settings.flash_attn == "auto" and on_processor and settings.cache_type_v not in BLOCK_CACHE_TYPES


def _make_context(model: int, settings: LoadSettings, max_rows: int) -> int:
    params = llama_cpp.llama_context_default_params()
    trained = llama_cpp.llama_model_n_ctx_train(model)
    params.n_ctx = settings.ctx_tokens or trained
    params.n_batch = BATCH_TOKENS
    plain_attention = max_rows == 1 and _is_faster_without_flash(settings)
    params.n_ubatch = DRAFT_BATCH_TOKENS if plain_attention else BATCH_TOKENS
    params.n_seq_max = 1
    params.n_outputs_max = max_rows
    params.swa_full = True  # else what has left a sliding window could not be gone back to
    if has_state(model) and max_rows > 1:
        params.n_rs_seq = min(SNAPSHOTS, max_rows - 1)
    params.type_k = _CACHE_TYPES[settings.cache_type_k]
    params.type_v = _CACHE_TYPES[settings.cache_type_v]
    params.flash_attn_type = _FLASH["off" if plain_attention else settings.flash_attn]
    params.no_perf = True
    context = llama_cpp.llama_init_from_model(model, params)
    if not context:
        raise SlipstreamError(
            Code.OUT_OF_MEMORY,
            say("There is no room for a context of {count} tokens with these cache types.", count=params.n_ctx),
            say("Take a smaller context or a smaller cache type, or close other programs."),
        )
    return int(context)


class LlamaModel:
    """``backend.Model`` over one llama.cpp model and context."""

    def __init__(
        self, path: str, model: int, context: int, max_rows: int, abort: AbortFlag, count_threads: ThreadCount
    ) -> None:
        self._count_threads = count_threads
        self._threads = 0
        self._model = model
        self._context = context
        self._memory = llama_cpp.llama_get_memory(context)
        self._vocab = llama_cpp.llama_model_get_vocab(model)
        self._tokens: list[int] = []
        self._pieces: dict[int, bytes] = {}
        self._snapshots = llama_cpp.llama_n_rs_seq(context)
        self._max_rows = min(max_rows, self._snapshots + 1) if self._snapshots else max_rows
        self._marks = StateMarks(context) if has_state(model) else None
        self._pass_start = 0
        """Where the last pass began, or the length that it was cut to since: snapshots reach back to behind it."""
        self._shifted_to = -1
        """First position that the next pass has to move, or −1."""
        self.native_s = 0.0
        self._abort = abort

        self._abort_callback = ctypes.cast(_C_LIBRARY.strlen, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(
            context, self._abort_callback, ctypes.cast(abort.text, ctypes.c_void_p)
        )
        self._batch = llama_cpp.llama_batch_init(BATCH_TOKENS, 0, 1)
        for i in range(BATCH_TOKENS):
            self._batch.n_seq_id[i] = 1
            self._batch.seq_id[i][0] = 0
        self._batch_tokens = np.ctypeslib.as_array(self._batch.token, (BATCH_TOKENS,))
        self._batch_positions = np.ctypeslib.as_array(self._batch.pos, (BATCH_TOKENS,))
        self._batch_outputs = np.ctypeslib.as_array(self._batch.logits, (BATCH_TOKENS,))
        self.facts = self._read_facts(path)
        self._vocab_size = self.facts.vocab_size
        self._ctx_tokens = self.facts.ctx_tokens
        self.template = self._read_template()
        self._state_is_large = False
        self._state_is_large = self._measure_state()

    @property
    def tokens(self) -> Sequence[int]:
        return self._tokens

    @property
    def max_rows(self) -> int:
        return self._max_rows

    def decode(self, tokens: Sequence[int], rows: int) -> Logits:
        if not 1 <= rows <= min(len(tokens), self._max_rows):
            raise ValueError(f"{rows} rows asked of a pass over {len(tokens)} tokens, at most {self._max_rows}")
        before = len(self._tokens)
        if before + len(tokens) > self._ctx_tokens:
            raise SlipstreamError(
                Code.CONTEXT_FULL, say("The context of {count} tokens is full.", count=self._ctx_tokens),
                say("Start a new chat, or load the model with a larger context."),
            )
        for start in range(0, len(tokens), BATCH_TOKENS):
            part = tokens[start : start + BATCH_TOKENS]
            wanted = max(0, rows - (len(tokens) - start - len(part)))
            self._decode_batch(part, min(wanted, len(part)), before)
        pointer = llama_cpp.llama_get_logits_ith(self._context, -1)
        if rows == 1:
            return np.ctypeslib.as_array(pointer, (1, self._vocab_size))
        last_part = len(tokens) % BATCH_TOKENS or BATCH_TOKENS
        if rows > last_part:  # only a pass of over 512 tokens can split its rows; nobody asks for that
            raise ValueError("rows may not span two batches")
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits(self._context), (rows, self._vocab_size))

    def _decode_batch(self, part: Sequence[int], rows: int, length_on_failure: int) -> None:
        batch, start, count = self._batch, len(self._tokens), len(part)
        self._pass_start = start
        batch.n_tokens = count
        self._batch_tokens[:count] = part
        self._batch_positions[:count] = np.arange(start, start + count)
        self._batch_outputs[:count] = np.arange(count) >= count - rows
        self._follow_load()
        started = perf_counter()
        status = llama_cpp.llama_decode(self._context, batch)
        self.native_s += perf_counter() - started
        if status == 0:
            self._tokens.extend(part)
            self._shifted_to = -1
            return
        self._recover(length_on_failure)
        if status == ABORTED_STATUS or self._abort:
            raise DecodeAbortedError
        if status == NO_SPACE_STATUS:
            raise SlipstreamError(
                Code.CONTEXT_FULL, say("The context has no room left."),
                say("Start a new chat, or load the model with a larger context."),
            )
        raise SlipstreamError(
            Code.DECODE_FAILED,
            say("The model could not process the text (llama_decode gave {status}).", status=status),
            say("Try again; if it happens again, load the model anew with a smaller context."),
        )

    def _follow_load(self) -> None:
        if (threads := self._count_threads()) != self._threads:
            llama_cpp.llama_set_n_threads(self._context, threads, threads)
            self._threads = threads

    def _recover(self, length: int) -> None:
        """Undo a pass that failed: what llama.cpp holds past our count (an aborted pass leaves parts of it) goes."""
        if self._marks is not None:
            self._go_back(length)  # the state has gone on by some of the tokens
            return
        # a move that was broken off may have moved some rows and not others
        self.truncate(length if self._shifted_to < 0 else self._shifted_to)
        self._shifted_to = -1
        llama_cpp.llama_memory_seq_rm(self._memory, 0, len(self._tokens), -1)

    def truncate(self, length: int) -> None:
        if length >= len(self._tokens):
            return
        began = perf_counter()
        if self._marks is None or length == 0:
            llama_cpp.llama_memory_seq_rm(self._memory, 0, length, -1)
        elif self._pass_start < length and llama_cpp.llama_memory_seq_rm(self._memory, 0, length, -1):
            self._pass_start = length  # a snapshot can be gone back to once
        else:
            self._go_back(length)
            self.native_s += perf_counter() - began
            return
        del self._tokens[length:]
        if self._marks is not None:
            self._marks.forget_after(length)
        self.native_s += perf_counter() - began

    def _go_back(self, length: int) -> None:
        """To the last mark at or before ``length``, or to the start."""
        assert self._marks is not None
        kept = self._marks.restore(min(length, len(self._tokens)))
        if kept == 0:
            llama_cpp.llama_memory_clear(self._memory, False)
        else:
            llama_cpp.llama_memory_seq_rm(self._memory, 0, kept, -1)
        self._pass_start = kept
        del self._tokens[kept:]

    def mark(self, lasting: bool = False) -> None:
        if self._marks is None or not self._tokens or (self._snapshots and not lasting) or self._state_is_large:
            return
        began = perf_counter()
        self._marks.save(len(self._tokens), lasting)
        self.native_s += perf_counter() - began

    def can_roll_back(self) -> bool:
        return self._marks is None or self._snapshots > 0 or not self._state_is_large

    def can_shift(self) -> bool:
        # a state has read what would be dropped, and cannot unread it
        return self._marks is None and bool(llama_cpp.llama_memory_can_shift(self._memory))

    def shift(self, keep: int, drop: int) -> None:
        llama_cpp.llama_memory_seq_rm(self._memory, 0, keep, keep + drop)
        llama_cpp.llama_memory_seq_add(self._memory, 0, keep + drop, -1, -drop)
        del self._tokens[keep : keep + drop]
        self._shifted_to = keep

    def _measure_state(self) -> bool:
        """Whether the state is too large to be copied at every step. It has its size only after a first token."""
        if self._marks is None:
            return False
        try:
            self.decode([max(0, llama_cpp.llama_vocab_bos(self._vocab))], 1)
        except DecodeAbortedError:
            return False
        size = state_bytes(self._context)
        self.truncate(0)
        return size > MOST_STATE_BYTES

    def tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        size = len(raw) + 8
        while True:
            array = (llama_cpp.llama_token * size)()
            count = llama_cpp.llama_tokenize(
                self._vocab, raw, len(raw), array, size, add_special, parse_special
            )
            if count >= 0:
                return list(array[:count])
            size = -count

    def token_bytes(self, token: int) -> bytes:
        cached = self._pieces.get(token)
        if cached is None:
            size = 64
            while True:
                buffer = ctypes.create_string_buffer(size)
                count = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, size, 0, False)
                if count >= 0:
                    break
                size = -count
            cached = self._pieces[token] = buffer.raw[:count]
        return cached

    def token_text(self, token: int) -> bytes:
        return bytes(llama_cpp.llama_vocab_get_text(self._vocab, token))

    def is_end(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_eog(self._vocab, token))

    def make_grammar(self, gbnf: str) -> Grammar:
        return LlamaGrammar(self._vocab, gbnf)

    def shape_as_gbnf(self, shape: JsonShape) -> str:
        return shape_as_gbnf(shape)

    def copy_state(self) -> memoryview:
        """Keys and values of the cached tokens; empty for models whose state is more than those."""
        if self._marks is not None or not self._tokens:
            return memoryview(b"")
        size = llama_cpp.llama_state_seq_get_size(self._context, 0)
        copy = (ctypes.c_uint8 * size)()
        written = llama_cpp.llama_state_seq_get_data(self._context, copy, size, 0)
        return memoryview(copy).cast("B")[:written]

    def put_state(self, data: bytearray, tokens: Sequence[int]) -> bool:
        """Have ``data`` (of ``copy_state``) and its tokens cached; False, and nothing cached, where it does not fit."""
        self.truncate(0)
        if self._marks is not None or not 0 < len(tokens) <= self._ctx_tokens:
            return False
        copy = (ctypes.c_uint8 * len(data)).from_buffer(data)
        if llama_cpp.llama_state_seq_set_data(self._context, copy, len(data), 0) != len(data):
            llama_cpp.llama_memory_clear(self._memory, False)
            return False
        self._tokens = list(tokens)
        return True

    def close(self) -> None:
        llama_cpp.llama_batch_free(self._batch)
        llama_cpp.llama_free(self._context)
        llama_cpp.llama_model_free(self._model)

    def _meta(self, key: str) -> str:
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = llama_cpp.llama_model_meta_val_str(self._model, key.encode(), buffer, size)
            if count < 0:
                return ""
            if count < size:
                return buffer.value.decode("utf-8", "replace")
            size = count + 1

    def _read_facts(self, path: str) -> ModelFacts:
        description = ctypes.create_string_buffer(128)
        llama_cpp.llama_model_desc(self._model, description, 128)
        return ModelFacts(
            path=path,
            name=self._meta("general.name") or Path(path).stem,
            architecture=self._meta("general.architecture"),
            description=description.value.decode("utf-8", "replace"),
            parameters=llama_cpp.llama_model_n_params(self._model),
            size_bytes=llama_cpp.llama_model_size(self._model),
            ctx_tokens=llama_cpp.llama_n_ctx(self._context),
            ctx_train_tokens=llama_cpp.llama_model_n_ctx_train(self._model),
            vocab_size=llama_cpp.llama_vocab_n_tokens(self._vocab),
            has_chat_template=bool(self._meta("tokenizer.chat_template")),
        )

    def _read_template(self) -> ChatTemplate:
        bos, eos = llama_cpp.llama_vocab_bos(self._vocab), llama_cpp.llama_vocab_eos(self._vocab)
        return ChatTemplate(
            source=self._meta("tokenizer.chat_template"),
            bos_text=self.token_text(bos).decode("utf-8", "replace") if bos >= 0 else "",
            eos_text=self.token_text(eos).decode("utf-8", "replace") if eos >= 0 else "",
            add_bos=bool(llama_cpp.llama_vocab_get_add_bos(self._vocab)),
        )
