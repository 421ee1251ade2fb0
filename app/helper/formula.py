"""LaTeX to outlines, by ziamath (which makes SVG), without a TeX installation."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ziafont.font import Font
from ziamath.config import config
from ziamath.zmath import Latex

from app.helper.messages import MOST_FORMULA_CHARACTERS, FormulaSet, Refused, SetFormula, Shape

MOST_OUTLINE_CHARACTERS = 400_000
_MOST_DEPTH = 24
_NUMBERED = re.compile(r"\\(label|tag|nonumber|notag)\b\*?(\{[^{}]*\})?")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(align|gather|equation|multline)\}")
_COMMAND = re.compile(r"\\[A-Za-z]{2,}")
_SPACE = re.compile(r"\s+")


def set_formula(request: SetFormula) -> FormulaSet | Refused:
    """The outlines of one formula; what ziamath does not know is refused, not guessed."""
    source = _SPACE.sub(" ", _NUMBERED.sub("", request.source)).strip()
    source = _ENVIRONMENT.sub(r"\\\1{\2*}", source)
    if not source or len(source) > MOST_FORMULA_CHARACTERS or _depth(source) > _MOST_DEPTH:
        return Refused(reason="is empty, too long or too deep")
    config.svg2 = False
    formula = Latex(source, size=request.pixels, inline=not request.display, color="black")
    strange = _strange("".join(formula.mathml.itertext()), formula.font)
    if strange:
        return Refused(reason=f"has something that cannot be set: {strange}")
    svg = formula.svgxml()
    left, top, width, height = (float(part) for part in svg.attrib["viewBox"].split())
    shapes = [shape for element in svg for shape in _shapes(element)]
    if sum(len(shape.path) for shape in shapes) > MOST_OUTLINE_CHARACTERS or not shapes:
        return Refused(reason="is empty or too large")
    return FormulaSet(shapes=shapes, width=left + width, ascent=-top, descent=top + height)


def _depth(source: str) -> int:
    depth = deepest = 0
    for character in source:
        depth += (character == "{") - (character == "}")
        deepest = max(deepest, depth)
    return deepest


def _strange(text: str, font: Font) -> str:
    """A command that was left as it is, or a character that the font does not have; "" if there is none."""
    left = _COMMAND.search(text)
    if left is not None:
        return left.group()
    return next((c for c in text if ord(c) > 0x24F and not font.glyphindex(c)), "")


def _shapes(element: ElementTree.Element) -> list[Shape]:
    tag = element.tag.rpartition("}")[2]
    get = element.attrib.get
    stroke = get("stroke", "none")
    pen = float(get("stroke-width", "1").removesuffix("px")) if stroke != "none" else 0.0
    match tag:
        case "g":
            return [shape for child in element for shape in _shapes(child)]
        case "path":
            return [Shape(path=get("d", ""), stroke=pen)] if get("d") else []
        case "rect":
            x, y, w, h = (float(get(name, "0")) for name in ("x", "y", "width", "height"))
            box = f"M {x} {y} L {x + w} {y} L {x + w} {y + h} L {x} {y + h} Z"
            return [Shape(path=box, stroke=pen)]
        case "title" | "desc":
            return []
        case _:
            raise ValueError(f"{tag} is no outline")
