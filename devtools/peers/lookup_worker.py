"""A process that answers by llama-cpp-python's high-level interface with its own prompt lookup.

``python -m devtools.peers.lookup_worker '{"model": …}'`` says ``{"version": …}`` when the model is loaded, then answers
every line ``{"tokens": […], "max_tokens": n}`` by ``{"token_ids": […], "seconds": s}``: the seconds are those from the
first token to the last.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import llama_cpp
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding


def main() -> int:
    options = json.loads(sys.argv[1])
    llama = llama_cpp.Llama(
        options["model"], n_ctx=options["ctx_tokens"], n_threads=options["threads"],
        n_threads_batch=options["threads"], flash_attn=options["flash_attn"], verbose=False,
        logits_all=True,  # so it is with a draft anyway, but unsaid it has room for 512 tokens and then fails
        draft_model=LlamaPromptLookupDecoding(num_pred_tokens=options["guesses"]),
    )
    _say({"version": llama_cpp.__version__})
    for line in sys.stdin:
        request = json.loads(line)
        llama.reset()  # type: ignore[no-untyped-call]
        token_ids: list[int] = []
        began = ended = perf_counter()
        for token in llama.generate(request["tokens"], top_k=1, temp=0.0, repeat_penalty=1.0):
            ended = perf_counter()
            if not token_ids:
                began = ended
            token_ids.append(int(token))
            if token == llama.token_eos() or len(token_ids) >= request["max_tokens"]:
                break
        _say({"token_ids": token_ids, "seconds": ended - began})
    return 0


def _say(answer: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
