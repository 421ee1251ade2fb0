"""``Estimate``: what the engine would reserve for a model, asked of the engine itself."""

from __future__ import annotations

from app import protocol
from app.errors import Code, SlipstreamError
from app.sentences import say


def estimate(
    command: protocol.Estimate, max_rows: int, is_loaded: bool, extra_buffers: bool = True
) -> protocol.Estimated:
    """Raises ``SlipstreamError``: ``BUSY`` when a model is loaded, which a file that ends the process would take with
    it; else as ``probe_reserved`` does."""
    if is_loaded:
        raise SlipstreamError(
            Code.BUSY, say("An estimate is made only where no model is loaded."), say("Ask a worker of its own.")
        )
    # Only now: a process that runs the other engine must not take this one in.
    from app.engine.backends.dry_load import probe_reserved

    rows = 1 if command.as_draft else max_rows
    reserved = probe_reserved(command.path, command.settings, rows, extra_buffers)
    return protocol.Estimated(
        request_id=command.request_id, cache_bytes=reserved.cache_bytes, compute_bytes=reserved.compute_bytes,
        output_bytes=reserved.output_bytes, layers=reserved.layers,
    )
