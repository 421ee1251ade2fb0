"""How the files in ``17762eb/`` were made: by the code of that commit, whose module names these are.

``git worktree add OLD 17762eb``, then ``PYTHONPATH=OLD python tests/saved/make_17762eb.py OLD NEW tests/saved/17762eb``
with this checkout as NEW (for its tiny model). For a later release copy this script, and never change what is there.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zlib
from importlib.metadata import version
from pathlib import Path

OLD, NEW, OUT = (Path(each).resolve() for each in sys.argv[1:4])
WORK = Path(tempfile.mkdtemp())
for variable, name in (("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")):
    os.environ[variable] = str(WORK / name)
CACHE = WORK / "cache" / "slipstream"
MTIME_NS = 1_764_500_000_000_000_000

import msgspec  # noqa: E402
from app.choices import AnswerChoice, LoadChoice, Preset  # noqa: E402
from app.remembered import HubSettings, MeasuredGain  # noqa: E402
from app.settings_transfer import export_settings  # noqa: E402
from app.terms import Candidate, LoadSettings, Sampling  # noqa: E402

from app import protocol  # noqa: E402
from app.chat.attachment import Attachment  # noqa: E402
from app.chat.conversation import AnswerFacts, Conversation, Head, Node  # noqa: E402
from app.chat.export import to_json  # noqa: E402
from app.chat.store import Store  # noqa: E402
from app.client.process import ProcessClient  # noqa: E402
from app.compare.history import ComparisonHistory  # noqa: E402
from app.compare.interval import Estimate  # noqa: E402
from app.compare.report import Report  # noqa: E402
from app.compare.result import Parting, summarise  # noqa: E402
from app.compare.run import Failure  # noqa: E402
from app.compare.verdict import Hint  # noqa: E402
from app.models.download import Downloads  # noqa: E402
from app.models.header_cache import HeaderCache  # noqa: E402
from app.models.hub import HubFile  # noqa: E402
from app.settings import ServerChoice, Settings, SettingsFile, Speculation, TargetSettings, WindowSettings  # noqa: E402

TARGET, DRAFT = "/models/Qwen2.5-Coder 1.5B/target-q4_k_m.gguf", "/models/draft-q4_0.gguf"
FACTS = AnswerFacts(
    reason="eos", target="Qwen2.5-Coder 1.5B", draft="Qwen2.5-Coder 0.5B", method="draft:max=6,p_min=0.5",
    prompt_tokens=41, tokens=128, tokens_per_second=21.75, time_to_first_token_s=0.25, num_draft_tokens=96,
    num_accepted_draft_tokens=80, mean_acceptance_length=2.625, speed_up=1.5, notice="The context is nearly full.",
    drafted=[4, 9, 20, 31],
)
CODE = Attachment(name="main.py", text="print('phở')\n" * 3, tokens=17)


def make_model(path: Path) -> Path:
    """A tiny llama whose weights repeat, so that it is small once it is packed."""
    script = (
        "import sys, numpy as np; from app.engine import tiny_model as t\n"
        "few = (np.random.default_rng(3).standard_normal(500) * 0.06).astype(np.float32)\n"
        "t._draw_plain = lambda random, blocks, sigma: np.resize(few, (blocks, 1))\n"
        "from pathlib import Path; t.write_tiny_model(Path(sys.argv[1]), 'F16')"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, env={**os.environ, "PYTHONPATH": str(NEW)},
                   cwd=NEW)
    os.utime(path, ns=(MTIME_NS, MTIME_NS))
    return path


def make_settings() -> None:
    switch = Speculation(mode="fixed", drafter="draft", max_draft=6, min_draft=1, p_min=0.5,
                         options={"first": "suffix"})
    answers = AnswerChoice(system_prompt="Be brief.", temperature=0.25, top_k=20, top_p=0.5, min_p=0.125,
                           repeat_penalty=1.25, seed=-1, max_tokens=99, thinking="off", on_full="shift",
                           speculation=Speculation(mode="off"))
    load = LoadChoice(ctx_tokens=2048, threads=3, gpu_layers=5, cache_type_k="q8_0", cache_type_v="q4_0",
                      flash_attn="on", engine="ik")
    target = TargetSettings(
        draft_path=DRAFT, speculation=switch, plain_tokens_per_second=12.5,
        gains={DRAFT: MeasuredGain(factor=1.75, answers=4)}, answers=answers, load=load,
        draft_load=LoadChoice(threads=2, cache_type_k="bf16", cache_type_v="f32", flash_attn="off", gpu_layers=0),
    )
    suffix = Speculation(mode="fixed", drafter="ngram-map-k", options={"n": 9})
    settings = Settings(
        theme="dark", language="vi", tint_drafted=True, target_path=TARGET,
        targets={TARGET: target, "remote:llama-server+http://10.0.0.2:8080#m": TargetSettings(speculation=suffix)},
        sampling=Sampling(temperature=0.5, top_k=30, top_p=0.75, min_p=0.25, repeat_penalty=1.5, seed=7),
        max_tokens=4096, system_prompt="Nói tiếng Việt.", thinking="on", on_full="shift",
        presets=[Preset(name="Exact", choice=AnswerChoice(temperature=0.0, seed=1))],
        load=LoadSettings(ctx_tokens=8192, threads=4, gpu_layers=10, cache_type_k="q5_1", cache_type_v="q8_0",
                          flash_attn="on", engine="llama"),
        draft_load=LoadChoice(cache_type_k="q8_0"), states_limit_bytes=123_456_789,
        model_folders=["/models", "/mnt/more models"], hub=HubSettings(endpoint="https://mirror.example", offline=True),
        window=WindowSettings(width=1001, height=702, speed_panel_open=False, conversations_open=False,
                              conversation="c" * 32),
        server=ServerChoice(on=True, open_to_network=True, port=9090), rpc_servers="10.0.0.3:50052,10.0.0.4:50052",
    )
    for field in msgspec.structs.fields(Settings):
        same = getattr(settings, field.name) == getattr(Settings(), field.name)
        assert not same or field.name == "version", f"{field.name} is as by default"
    SettingsFile(OUT / "settings.json").save(settings)
    export_settings(settings, OUT / "settings-export.json")


def make_chats() -> None:
    """Branches, attachments, figures, a failure, a choice of its own, what is unsent, and an answer cut off."""
    path = WORK / "conversations.db"
    store = Store(path)
    nodes = [
        Node(id="q1", parent_id="", role="user", content="How is phở made?", created_s=10.0, attachments=[CODE]),
        Node(id="a1", parent_id="q1", role="assistant", content="Slowly.", created_s=11.0, facts=FACTS),
        Node(id="a2", parent_id="q1", role="assistant", content="With **care**.", created_s=12.0,
             facts=msgspec.structs.replace(FACTS, reason="failed", failed_code="worker_died",
                                           failed_message="The engine stopped.", failed_hint="Ask again.")),
        Node(id="q2", parent_id="a1", role="user", content="什么意思?", created_s=13.0),
        Node(id="a3", parent_id="q2", role="assistant", content="<think>Hm.</think>慢慢地。", created_s=14.0,
             facts=AnswerFacts(reason="length", tokens=3)),
        Node(id="q1b", parent_id="", role="user", content="How is bread made?", created_s=15.0),
    ]
    choice = AnswerChoice(temperature=0.75, speculation=Speculation(mode="fixed", max_draft=4))
    chat = Conversation("c" * 32, "Phở", nodes, leaf_id="a3", unsent="half a thought", choice=choice)
    store.save_all(chat, 100.0)
    store.save_unsent_files(chat.id, [CODE])
    store.pin(chat.id, True)
    store.move(chat.id, "Kitchen")
    cut = Conversation("d" * 32, "Cut off", [], leaf_id="b2")
    store.save_head(Head(id=cut.id, title="Cut off", leaf_id="b2", unsent=""))
    store.save_node(cut.id, Node(id="b1", parent_id="", role="user", content="Count.", created_s=20.0))
    for text in ("One,", "One, two, three"):
        store.save_node(cut.id, Node(id="b2", parent_id="b1", role="assistant", content=text, created_s=21.0,
                                     facts=AnswerFacts(target="SmolLM2", method="auto", tokens=len(text.split()))))
    loaded = store.load(chat.id)
    assert loaded is not None
    (OUT / "chats.json").write_bytes(to_json([loaded]))
    # Not closed: that would take the cut off answer for done. What is in the log beside it goes into the file.
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store._db.execute("PRAGMA journal_mode = DELETE")
    shutil.copy(path, OUT / "conversations.db")


def make_engine_files(model: Path) -> None:
    """A kept state, what auto learned, and which engine was measured to be the faster one, by a real worker."""
    engine = f"llama-cpp-python {version('llama-cpp-python')}"
    load = LoadSettings(ctx_tokens=512)
    with ProcessClient() as client:
        client.load(str(model), msgspec.structs.replace(load, engine="auto"))
    with ProcessClient() as client:
        client.load(str(model), load)
        prompt = "one two three " * 10
        done = client.generate(protocol.Generate(
            request_id=0, prompt=prompt, raw=True, max_tokens=24, method="auto",
            sampling=Sampling(temperature=0.0, seed=1)))
        save = protocol.SaveState(request_id=0, name="c" * 32, limit_bytes=10**9)
        saved = client._run(save, protocol.StateSaved)
    assert saved.saved_bytes, "no state was kept"
    for source in [*(CACHE / "states").iterdir(), *(CACHE / "tuning").glob("*.json")]:
        (OUT / source.parent.name).mkdir(exist_ok=True)
        shutil.copy(source, OUT / source.parent.name)
    state, = (OUT / "states").iterdir()
    raw = state.read_bytes()
    made = {
        "commit": "17762eb", "engine": engine, "ik": f"ik-llama-cpp-python {version('ik-llama-cpp-python')}",
        "processor": platform.processor(), "machine": platform.machine(), "cpu_count": os.cpu_count(),
        "mtime_ns": MTIME_NS, "model_sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "state_bytes": len(raw), "prompt_tokens": done.prompt_tokens, "tokens": len(done.token_ids),
        "load": msgspec.to_builtins(load), "facts": {},
    }
    with ProcessClient() as client:
        made["facts"] = msgspec.to_builtins(client.load(str(model), load).facts)
    made["facts"]["path"] = ""  # type: ignore[index]
    (OUT / "made.json").write_bytes(msgspec.json.format(msgspec.json.encode(made)))


def make_comparisons() -> None:
    """One by ``bench --json`` with the scripted methods on SmolLM2, and the same as the window keeps it, with a text
    that parts, a failure and a hint."""
    smollm = Path.home() / ".cache/slipstream/models/SmolLM2-135M-Instruct.Q4_1.gguf"
    target = OUT / "bench.json"
    subprocess.run(
        [sys.executable, "-m", "app", "bench", "--model", str(smollm), "--prompts", str(OLD / "tests/prompts.jsonl"),
         "--limit", "1", "--kinds", "code", "edit", "--methods", "off", "auto", "ngram-simple", "--max-tokens", "8",
         "--runs", "1", "--temperature", "0", "--json", str(target)], check=True, cwd=OLD,
    )
    (OUT / "bench.json.runs.jsonl").unlink(missing_ok=True)
    report = msgspec.json.decode(target.read_bytes(), type=Report)
    names = [side.name for side in report.sides]
    parting = Parting(
        prompt_id=report.prompts[0].id, side=names[1], run=0, position=3, baseline_token_id=1, token_id=2, gap=0.125,
        draw=0.5, baseline_candidate=Candidate(token_id=1, text=" a", logit=10.0),
        candidate=Candidate(token_id=2, text=" b", logit=9.875),
    )
    result = summarise(report.trials, names, 1, [parting])
    failure = Failure(prompt_id=report.prompts[1].id, side=names[2], run=0, code="busy", message="It was busy.")
    gain = Estimate(factor=1.5, low=1.25, high=1.75, pairs=2, df=1)
    hint = Hint(method="suffix:max=8", title="Suffix", gain=gain)
    whole = msgspec.structs.replace(report, result=result, failures=[failure], hint=hint, keeps_prompts=True)
    ComparisonHistory(OUT / "comparisons").save(whole, "2 prompts: code, edit", 1_764_500_000.0)


def make_header_cache(model: Path) -> None:
    broken = WORK / "broken.gguf"
    broken.write_bytes(b"GGUF and then nothing")
    cache = HeaderCache(OUT / "headers.msgpack")
    for path in (model, broken):
        cache.read(path)
    cache.verdict(model, model)
    cache.save()


def make_downloads() -> None:
    """One that was stopped in its middle, of two parts, and nothing asked of a network."""
    file = HubFile(
        repo="someone/Model-GGUF", revision="abcdef0123", file="q4/model-00001-of-00002.gguf", bytes=3000,
        quantisation="Q4_K_M", part_files=[("q4/model-00001-of-00002.gguf", 1000, "ab" * 32),
                                           ("q4/model-00002-of-00002.gguf", 2000, "cd" * 32)])
    downloads = Downloads(OUT / "models", None, reserve_bytes=0)  # type: ignore[arg-type]
    from app.models.download import _job_id
    downloads._write_note(_job_id(file), file)
    first, second = downloads._places(file)
    final, part = downloads._final(first), downloads._part(second)
    for path, size in ((final, 1000), (part, 700)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    tiny = make_model(WORK / "tiny.gguf")
    (OUT / "tiny.gguf.z").write_bytes(zlib.compress(tiny.read_bytes(), 9))
    make_settings()
    make_chats()
    make_engine_files(tiny)
    make_header_cache(tiny)
    make_downloads()
    make_comparisons()
    shutil.rmtree(WORK)
