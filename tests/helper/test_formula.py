from __future__ import annotations

import subprocess

import msgspec
import pytest

from app.gui.controllers.helper_process import helper_command
from app.helper.formula import set_formula
from app.helper.main import _answer
from app.helper.messages import AnyReply, FormulaSet, Refused, SetFormula


def ask(source: str, display: bool = False) -> AnyReply:
    return _answer(SetFormula(source=source, display=display, pixels=15.0))


@pytest.mark.parametrize("source", [
    r"x^2+y^2=z^2", r"\frac{-b\pm\sqrt{b^2-4ac}}{2a}", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    r"\begin{cases}1 & x>0\\0&\text{otherwise}\end{cases}", r"\begin{aligned}a&=b\\c&=d\end{aligned}",
    r"\mathcal{O}(n \log n)", r"\text{nếu } x \in \mathbb{N}", r"\boxed{E=mc^2}", r"\lim_{x\to 0}\frac{\sin x}{x}",
])
def test_what_models_write_is_set(source: str) -> None:
    reply = set_formula(SetFormula(source=source, display=True, pixels=15.0))
    assert isinstance(reply, FormulaSet)
    assert 5 < reply.width < 200
    assert 5 < reply.ascent < 40
    assert all(set(shape.path.split()) & {"M"} for shape in reply.shapes)


def test_a_fraction_on_its_own_line_is_larger() -> None:
    small, large = ask(r"\frac{a}{b}"), ask(r"\frac{a}{b}", display=True)
    assert isinstance(small, FormulaSet)
    assert isinstance(large, FormulaSet)
    assert large.ascent + large.descent > 1.2 * (small.ascent + small.descent)


def test_numbers_of_equations_are_left_out() -> None:
    with_number, without = ask(r"\begin{align}a&=b\end{align}"), ask(r"\begin{align*}a&=b\tag{7}\end{align*}")
    assert isinstance(with_number, FormulaSet)
    assert with_number == without


@pytest.mark.parametrize("source", [
    "", "   ", r"\undefinedthing{x}", r"\frac{1}{", r"\left( x \right", r"\text{中}", "{" * 30 + "x" + "}" * 30,
    "x" * 5000, r"\input{/etc/passwd}", r"\begin{pmatrix}", "\x00",
])
def test_what_cannot_be_set_is_refused(source: str) -> None:
    assert isinstance(ask(source), Refused)


def test_the_process_answers_in_lines_and_ends_with_its_input() -> None:
    lines = msgspec.json.encode(SetFormula(source="x", display=False, pixels=15.0)) + b"\n"
    done = subprocess.run(helper_command(), input=lines * 2, stdout=subprocess.PIPE, timeout=60, check=True)
    replies = [msgspec.json.decode(line, type=AnyReply) for line in done.stdout.splitlines()]
    assert [type(reply) for reply in replies] == [FormulaSet, FormulaSet]
