"""From a JSON schema to the grammar (GBNF) of the texts that fit it, for every engine.

The converter is a plain file of llama-cpp-python. It is loaded by itself: importing the package would load llama.cpp,
which must not be where another engine runs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import cast

from app.errors import Code, SlipstreamError
from app.records import JsonShape
from app.sentences import say

_MODULE = "slipstream_schema_converter"


def shape_as_gbnf(shape: JsonShape) -> str:
    """The grammar of the texts that are ``shape``. Raises ``SlipstreamError`` (``SETTINGS_INVALID``)."""
    convert = _converter()
    try:
        gbnf = convert(shape.schema)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError, RecursionError, re.error,
            MemoryError) as error:
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise SlipstreamError(
            Code.SETTINGS_INVALID,
            say("The JSON schema asks for what the answer cannot be held to: {what}.", what=reason),
            say("Use types, properties, items, enum, const, anyOf and references within the schema."),
        ) from error
    if not shape.before and not shape.after:
        return gbnf
    rules = [re.sub(r"^root ::=", "shaped-value ::=", line) for line in gbnf.splitlines()]
    return "\n".join([f"root ::= {_literal(shape.before)} shaped-value {_literal(shape.after)}", *rules])


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _converter() -> Callable[[str], str]:
    module = sys.modules.get(_MODULE)
    if module is None:
        package = find_spec("llama_cpp")
        file = Path(package.origin).parent / "llama_grammar.py" if package is not None and package.origin else Path()
        spec = spec_from_file_location(_MODULE, file)
        if spec is None or spec.loader is None or not file.is_file():
            raise SlipstreamError(
                Code.SETTINGS_INVALID, say("Answers cannot be held to a JSON schema without llama-cpp-python."),
                say("Ask without a schema, or give a grammar."),
            )
        module = module_from_spec(spec)
        sys.modules[_MODULE] = module
        spec.loader.exec_module(module)
    return cast(Callable[[str], str], module.json_schema_to_gbnf)
