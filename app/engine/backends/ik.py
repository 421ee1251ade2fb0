"""The only file that imports ik_llama_cpp: models through the C calls of ik_llama.cpp, the second engine.

Its API is older than llama.cpp's and its Python binding is thin, so a good part is bound here. Facts about the library
that this file relies on, and where they were checked, are in docs/engines.md.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, ClassVar

import ik_llama_cpp._ctypes_api as ik
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
from app.engine.backends.ik_grammar import IkGrammar
from app.engine.backends.json_grammar import shape_as_gbnf
from app.engine.grammar import Grammar
from app.errors import Code, SlipstreamError
from app.machine.threads import all_cores
from app.records import BLOCK_CACHE_TYPES, JsonShape, LoadSettings, ModelFacts
from app.sentences import say

NO_SPACE_STATUS = 1
ABORT_PAUSE_S = 0.1
_FILE_TYPE_Q4_1 = b"3"
_SHORT_PASS_TOKENS = 24
"""For Q4_1: from 32 tokens on 0.1.5 takes kernels that compute SmolLM2 135M wrongly (AVX2)."""

_CACHE_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "bf16": 30}
_LogCallback = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_POINTER, _TEXT, _INT, _BOOL = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_bool
_SIGNATURES: dict[str, tuple[list[Any], Any]] = {
    "llama_log_set": ([_LogCallback, _POINTER], None),
    "llama_model_meta_val_str": ([_POINTER, _TEXT, _TEXT, ctypes.c_size_t], _INT),
    "llama_model_n_params": ([_POINTER], ctypes.c_uint64),
    "llama_model_size": ([_POINTER], ctypes.c_uint64),
    "llama_n_ctx": ([_POINTER], ctypes.c_uint32),
    "llama_n_ctx_train": ([_POINTER], _INT),
    "llama_model_has_recurrent": ([_POINTER], _BOOL),
    "llama_get_model_tensor": ([_POINTER, _TEXT], _POINTER),
    "llama_kv_cache_seq_rm": ([_POINTER, _INT, _INT, _INT], _BOOL),
    "llama_kv_cache_seq_add": ([_POINTER, _INT, _INT, _INT, _INT], None),
    "llama_state_seq_get_size": ([_POINTER, _INT, ctypes.c_uint32], ctypes.c_size_t),
    "llama_state_seq_get_data": ([_POINTER, _POINTER, ctypes.c_size_t, _INT, ctypes.c_uint32], ctypes.c_size_t),
    "llama_state_seq_set_data": ([_POINTER, _POINTER, ctypes.c_size_t, _INT, ctypes.c_uint32], ctypes.c_size_t),
    "llama_set_n_threads": ([_POINTER, ctypes.c_uint32, ctypes.c_uint32], None),
    "llama_set_abort_callback": ([_POINTER, ik.ggml_abort_callback, _POINTER], None),
    "llama_get_logits": ([_POINTER], ctypes.POINTER(ctypes.c_float)),
    "llama_sampler_init_grammar": ([_POINTER, _TEXT, _TEXT], _POINTER),
    "llama_sample_grammar": ([_POINTER, _POINTER, _POINTER], None),
    "llama_grammar_accept_token": ([_POINTER, _POINTER, _INT], None),
    "llama_grammar_free": ([_POINTER], None),
    "llama_vocab_tokenize": ([_POINTER, _TEXT, _INT, ctypes.POINTER(_INT), _INT, _BOOL, _BOOL], _INT),
    "llama_token_to_piece_vocab": ([_POINTER, _INT, _TEXT, _INT, _INT, _BOOL], _INT),
    "llama_vocab_get_text": ([_POINTER, _INT], _TEXT),
    "llama_vocab_is_eog": ([_POINTER, _INT], _BOOL),
    "llama_vocab_bos": ([_POINTER], _INT),
    "llama_vocab_eos": ([_POINTER], _INT),
    "llama_vocab_get_add_bos": ([_POINTER], _BOOL),
}


def _bind() -> Any:
    """The library with the functions that its binding leaves out."""
    library: Any = ctypes.CDLL(ik._lib._name)  # the same library, with signatures of our own
    for name, (arguments, result) in _SIGNATURES.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    # a function of the library beneath; only on Windows is that one asked for by its own name
    beneath = ctypes.CDLL(str(Path(ik._lib._name).with_name("ggml.dll"))) if sys.platform == "win32" else library
    library.ggml_nbytes = beneath.ggml_nbytes
    library.ggml_nbytes.argtypes, library.ggml_nbytes.restype = [_POINTER], ctypes.c_size_t
    return library


class IkLibrary:
    """ik_llama.cpp as loaded into this process. Make one per process; its log lines go to ``on_log``.

    ``threads`` governs how many threads a pass takes, where the loading settings name no number; by
    itself one for each core.
    """

    name = "ik"
    _kept_callbacks: ClassVar[list[object]] = []
    """The library calls the last one set as long as the process lives."""

    def __init__(self, on_log: Callable[[str], None], threads: ThreadCount | None = None) -> None:
        self._threads = threads or all_cores()

        def receive(_level: int, text: bytes, _data: ctypes.c_void_p) -> None:
            on_log(text.decode("utf-8", "replace"))

        self._functions = _bind()
        self._log_callback = _LogCallback(receive)
        self._kept_callbacks.append(self._log_callback)
        self._functions.llama_log_set(self._log_callback, None)
        ik.llama_backend_init()

    @staticmethod
    def describe() -> str:
        return f"ik-llama-cpp-python {version('ik-llama-cpp-python')}"

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> IkModel:
        """Load a model with a context of one sequence, its weights repacked for this processor's kernels.

        Raises:
            SlipstreamError: ``MODEL_NOT_FOUND``, ``MODEL_LOAD_FAILED``, ``OUT_OF_MEMORY``, ``SETTINGS_INVALID``,
                ``MODEL_UNSUPPORTED``, ``ABORTED``.
        """
        _check_settings(path, settings)
        model = _load_weights(path, settings, abort, on_progress)
        try:
            _refuse_running_state(self._functions, path, model)
            context = _make_context(self._functions, model, settings)
        except SlipstreamError:
            ik.llama_free_model(model)
            raise
        count_threads = thread_count(settings, self._threads)
        return IkModel(self._functions, path, model, context, max_rows, abort, count_threads)


    def quantize(
        self, source: str, destination: str, kind: str, *, whole: bool = False, threads: int = 0,
        widths: Mapping[str, int] | None = None,
    ) -> None:
        """Write ``source`` in another form: ``kind`` is ``bf16``, ``q8_0`` or ``q4_0``.

        By the program that comes with the package. ``whole`` gives the token embeddings and the output matrix that
        form too; ``widths`` are unused, for the program rounds as it does.

        Raises:
            SlipstreamError: ``MODEL_LOAD_FAILED`` when it refuses.
        """
        command = [str(_quantizer()), "--allow-requantize"]
        if whole:
            command += ["--token-embedding-type", kind, "--output-tensor-type", kind]
        command += [source, destination, kind.upper(), *([str(threads)] if threads else [])]
        if not _succeeds(command):
            raise SlipstreamError(
                Code.MODEL_LOAD_FAILED,
                say("{name} could not be written as {kind}.", name=Path(source).name, kind=kind),
                say("Check that the file is whole and that the disk has room."),
            )


def _quantizer() -> Path:
    name = "llama-quantize.exe" if sys.platform == "win32" else "llama-quantize"
    return Path(ik.__file__).parent / "bin" / name


def _succeeds(command: Sequence[str]) -> bool:
    try:
        # its words go where the library's own go: stderr, which the client keeps for the log
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode == 0
    except OSError:
        return False


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


def _load_weights(path: str, settings: LoadSettings, abort: AbortFlag, on_progress: Progress) -> int:
    def progress(fraction: float, _data: ctypes.c_void_p) -> bool:
        on_progress(fraction)
        return not abort

    params = ik.llama_model_default_params()
    params.n_gpu_layers = 0
    # Repacked weights cannot be mapped. A model that barely fits stays as it is in the file: pages can be dropped.
    params.repack_tensors = os.path.getsize(path) < 0.85 * psutil.virtual_memory().total
    params.use_mmap = not params.repack_tensors
    params.flash_attn = settings.flash_attn != "off"
    params.progress_callback = ik.llama_progress_callback(progress)
    model = ik.llama_model_load_from_file(os.fsencode(path), params)
    if abort:
        if model:
            ik.llama_free_model(model)
        raise SlipstreamError(Code.ABORTED, say("Loading was stopped."), say("Load the model again when you need it."))
    if not model:
        raise SlipstreamError(
            Code.MODEL_LOAD_FAILED,
            say("The model file {name} could not be loaded by ik_llama.cpp.", name=Path(path).name),
            say("Take the first engine for it, or another file; the log says more."),
        )
    return int(model)


def _refuse_running_state(functions: ctypes.CDLL, path: str, model: int) -> None:
    """Such a model cannot go back here, so it neither drafts nor takes up an earlier chat; the first engine can."""
    if functions.llama_model_has_recurrent(model):
        raise SlipstreamError(
            Code.MODEL_UNSUPPORTED,
            say("{name} keeps a running state, which ik_llama.cpp cannot take back.", name=Path(path).name),
            say("Take the first engine for it."),
        )


def _is_q4_1(functions: ctypes.CDLL, model: int) -> bool:
    buffer = ctypes.create_string_buffer(16)
    functions.llama_model_meta_val_str(model, b"general.file_type", buffer, len(buffer))
    return buffer.value == _FILE_TYPE_Q4_1


def _make_context(functions: ctypes.CDLL, model: int, settings: LoadSettings) -> int:
    params = ik.llama_context_default_params()
    params.n_ctx = settings.ctx_tokens or functions.llama_n_ctx_train(model)
    params.n_batch = BATCH_TOKENS
    params.n_ubatch = _SHORT_PASS_TOKENS if _is_q4_1(functions, model) else BATCH_TOKENS
    params.n_seq_max = 1
    params.type_k = _CACHE_TYPES[settings.cache_type_k]
    params.type_v = _CACHE_TYPES[settings.cache_type_v]
    params.flash_attn = settings.flash_attn != "off"
    context = ik.llama_init_from_model(model, params)
    if not context:
        raise SlipstreamError(
            Code.OUT_OF_MEMORY,
            say("There is no room for a context of {count} tokens with these cache types.", count=params.n_ctx),
            say("Take a smaller context or a smaller cache type, or close other programs."),
        )
    return int(context)


class IkModel:
    """``backend.Model`` over one ik_llama.cpp model and context."""

    def __init__(
        self, functions: ctypes.CDLL, path: str, model: int, context: int, max_rows: int, abort: AbortFlag,
        count_threads: ThreadCount,
    ) -> None:
        self._count_threads = count_threads
        self._threads = 0
        self._functions = functions
        self._model = model
        self._context = context
        self._vocab = ik.llama_model_get_vocab(model)
        self._tokens: list[int] = []
        self._pieces: dict[int, bytes] = {}
        self._max_rows = max_rows
        self._shifted_to = -1
        """First position that the next pass has to move, or −1."""
        self.native_s = 0.0
        self._abort = abort

        def aborted(_data: ctypes.c_void_p) -> bool:
            if abort:
                # A thread that has not yet looked at the result of the last operation when this one's is set would
                # leave early, and the others wait for it for ever: let all of them get here first.
                sleep(ABORT_PAUSE_S)
                return True
            return False

        self._abort_callback = ik.ggml_abort_callback(aborted)
        functions.llama_set_abort_callback(context, self._abort_callback, None)
        self._batch = ik.llama_batch_init(BATCH_TOKENS, 0, 1)
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
        if rows > (len(tokens) % BATCH_TOKENS or BATCH_TOKENS):  # as in the first engine; nobody asks for that
            raise ValueError("rows may not span two batches")
        return np.ctypeslib.as_array(self._functions.llama_get_logits(self._context), (rows, self._vocab_size))

    def _decode_batch(self, part: Sequence[int], rows: int, length_on_failure: int) -> None:
        if self._abort:  # with the flag set the library computes nothing and says that all went well
            self.truncate(length_on_failure)
            raise DecodeAbortedError
        batch, start, count = self._batch, len(self._tokens), len(part)
        batch.n_tokens = count
        self._batch_tokens[:count] = part
        self._batch_positions[:count] = np.arange(start, start + count)
        self._batch_outputs[:count] = np.arange(count) >= count - rows
        self._follow_load()
        started = perf_counter()
        status = ik.llama_decode(self._context, batch)
        self.native_s += perf_counter() - started
        if status == 0 and not self._abort:
            self._tokens.extend(part)
            self._shifted_to = -1
            return
        self._recover(length_on_failure)
        if self._abort:
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
            self._functions.llama_set_n_threads(self._context, threads, threads)
            self._threads = threads

    def _recover(self, length: int) -> None:
        """Undo a pass that failed: what the library holds past our count goes."""
        # a move that was broken off may have moved some rows and not others
        self.truncate(length if self._shifted_to < 0 else self._shifted_to)
        self._shifted_to = -1
        self._functions.llama_kv_cache_seq_rm(self._context, 0, len(self._tokens), -1)

    def truncate(self, length: int) -> None:
        if length < len(self._tokens):
            self._functions.llama_kv_cache_seq_rm(self._context, 0, length, -1)
            del self._tokens[length:]

    def mark(self, lasting: bool = False) -> None:
        """Every length will do: models with a running state are not loaded."""

    def can_roll_back(self) -> bool:
        return True

    def can_shift(self) -> bool:
        return True

    def shift(self, keep: int, drop: int) -> None:
        self._functions.llama_kv_cache_seq_rm(self._context, 0, keep, keep + drop)
        self._functions.llama_kv_cache_seq_add(self._context, 0, keep + drop, -1, -drop)
        del self._tokens[keep : keep + drop]
        self._shifted_to = keep

    def make_grammar(self, gbnf: str) -> Grammar:
        return IkGrammar(self._functions, self._context, self._vocab, gbnf)

    def shape_as_gbnf(self, shape: JsonShape) -> str:
        return shape_as_gbnf(shape)

    def copy_state(self) -> memoryview:
        """Keys and values of the cached tokens."""
        if not self._tokens:
            return memoryview(b"")
        size = self._functions.llama_state_seq_get_size(self._context, 0, 0)
        copy = (ctypes.c_uint8 * size)()
        written = self._functions.llama_state_seq_get_data(self._context, copy, size, 0, 0)
        return memoryview(copy).cast("B")[:written]

    def put_state(self, data: bytearray, tokens: Sequence[int]) -> bool:
        """Have ``data`` (of ``copy_state``) and its tokens cached; False, and nothing cached, where it does not fit."""
        self.truncate(0)
        if not 0 < len(tokens) <= self._ctx_tokens:
            return False
        copy = (ctypes.c_uint8 * len(data)).from_buffer(data)
        if self._functions.llama_state_seq_set_data(self._context, copy, len(data), 0, 0) != len(data):
            ik.llama_kv_cache_clear(self._context)
            return False
        self._tokens = list(tokens)
        return True

    def tokenize(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        size = len(raw) + 8
        while True:
            array = (_INT * size)()
            count = self._functions.llama_vocab_tokenize(
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
                count = self._functions.llama_token_to_piece_vocab(self._vocab, token, buffer, size, 0, False)
                if count >= 0:
                    break
                size = -count
            cached = self._pieces[token] = buffer.raw[:count]
        return cached

    def token_text(self, token: int) -> bytes:
        return bytes(self._functions.llama_vocab_get_text(self._vocab, token))

    def is_end(self, token: int) -> bool:
        return bool(self._functions.llama_vocab_is_eog(self._vocab, token))

    def close(self) -> None:
        ik.llama_batch_free(self._batch)
        ik.llama_free(self._context)
        ik.llama_free_model(self._model)

    def _meta(self, key: str) -> str:
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = self._functions.llama_model_meta_val_str(self._model, key.encode(), buffer, size)
            if count < 0:
                return ""
            if count < size:
                return buffer.value.decode("utf-8", "replace")
            size = count + 1

    def _read_facts(self, path: str) -> ModelFacts:
        vocab_size = ik.llama_vocab_n_tokens(self._vocab)
        parameters = self._functions.llama_model_n_params(self._model)
        size_bytes = self._functions.llama_model_size(self._model)
        if not self._functions.llama_get_model_tensor(self._model, b"output.weight"):
            # embeddings that serve as the output matrix are counted twice
            parameters -= vocab_size * ik.llama_model_n_embd(self._model)
            size_bytes -= self._functions.ggml_nbytes(
                self._functions.llama_get_model_tensor(self._model, b"token_embd.weight")
            )
        buffer = ctypes.create_string_buffer(128)
        ik.llama_model_desc(self._model, buffer, 128)
        size_name = f"{parameters / 1e9:.1f}B" if parameters >= 1e9 else f"{parameters / 1e6:.0f}M"
        description = buffer.value.decode("utf-8", "replace").replace("?B", size_name)
        return ModelFacts(
            path=path,
            name=self._meta("general.name") or Path(path).stem,
            architecture=self._meta("general.architecture"),
            description=description,
            parameters=parameters,
            size_bytes=size_bytes,
            ctx_tokens=self._functions.llama_n_ctx(self._context),
            ctx_train_tokens=self._functions.llama_n_ctx_train(self._model),
            vocab_size=vocab_size,
            has_chat_template=bool(self._meta("tokenizer.chat_template")),
        )

    def _read_template(self) -> ChatTemplate:
        bos = self._functions.llama_vocab_bos(self._vocab)
        eos = self._functions.llama_vocab_eos(self._vocab)
        return ChatTemplate(
            source=self._meta("tokenizer.chat_template"),
            bos_text=self.token_text(bos).decode("utf-8", "replace") if bos >= 0 else "",
            eos_text=self.token_text(eos).decode("utf-8", "replace") if eos >= 0 else "",
            add_bos=bool(self._functions.llama_vocab_get_add_bos(self._vocab)),
        )
