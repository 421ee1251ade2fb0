"""What llama.cpp's log says it would reserve, and the same from a real file."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.client.process import ProcessClient
from app.engine.backends.dry_load import Reserved, read_reserved
from app.errors import Code, SlipstreamError
from app.models.facts import read_facts
from app.models.gguf import read_header
from app.models.memory import CacheSettings, estimate_kv
from app.records import LoadSettings

MIB = 1024 * 1024
LINES = """
load_tensors: offloaded 29/29 layers to GPU
load_tensors:        CUDA0 model buffer size =     0.00 MiB
llama_context:  CUDA_Host  output buffer size =     0.58 MiB
llama_kv_cache:      CUDA0 KV buffer size =     0.00 MiB
llama_kv_cache: size =  112.00 MiB (  4096 cells,  28 layers,  1/1 seqs), K (f16):   56.00 MiB, V (f16):   56.00 MiB
llama_memory_recurrent: size =    8.50 MiB (     1 cells,  32 layers,  1 seqs  6 rs_seq), R (f32):    0.50 MiB
sched_reserve:      CUDA0 compute buffer size =   299.75 MiB
sched_reserve:  CUDA_Host compute buffer size =    11.01 MiB
print_info: file size   = 92.10 MiB (5.74 BPW)
"""


def test_the_log_is_read() -> None:
    assert read_reserved(LINES.splitlines()) == Reserved(
        cache_bytes=int(120.5 * MIB), compute_bytes={"CUDA0": int(299.75 * MIB), "CUDA_Host": int(11.01 * MIB)},
        output_bytes={"CUDA_Host": int(0.58 * MIB)}, layers=29,
    )


def test_nothing_said_is_nothing_reserved() -> None:
    assert read_reserved(["", "llama: hello"]) == Reserved(0)


@pytest.mark.model
def test_the_engine_says_what_the_headers_say(smollm: Path) -> None:
    settings = LoadSettings(ctx_tokens=2048)
    with ProcessClient() as client:
        said = client.estimate(str(smollm), settings)
        facts = read_facts(read_header(smollm, with_tokens=False))
        assert said.cache_bytes == estimate_kv(facts, CacheSettings(ctx_tokens=2048))
        assert 5 * MIB < said.compute_bytes["CPU"] < 100 * MIB
        half = client.estimate(str(smollm), LoadSettings(ctx_tokens=2048, cache_type_k="q8_0", cache_type_v="q8_0"))
        assert half.cache_bytes < 0.6 * said.cache_bytes
        client.load(str(smollm), settings)
        with pytest.raises(SlipstreamError) as caught:
            client.estimate(str(smollm), settings)
        assert caught.value.code == Code.BUSY


@pytest.mark.model
def test_a_file_that_is_no_model_is_said(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(200))
    with ProcessClient() as client, pytest.raises(SlipstreamError) as caught:
        client.estimate(str(bad), LoadSettings())
    assert caught.value.code == Code.MODEL_LOAD_FAILED
