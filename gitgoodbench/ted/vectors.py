"""Vectors of sixteen 16-bit integers in compiled code, as LLVM's own generic vectors.

Nothing here names a processor: LLVM makes one AVX2 register of a vector, or two of SSE2 or NEON. A vector lives only
inside compiled functions; in memory it is sixteen neighbours of a flat int16 array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

WIDTH = 16
Vector: TypeAlias = Any
"""What Python calls the type `Lanes`; there is no such value outside compiled code."""

_I16 = ir.IntType(16)
_I16X16 = ir.VectorType(_I16, WIDTH)


class Lanes(types.Type):
    """numba's type of such a vector."""

    def __init__(self) -> None:
        super().__init__(name="int16x16")


lanes = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _I16X16)  # type: ignore[no-untyped-call]


def _operation(function: Callable[..., Any]) -> Callable[..., Any]:
    return cast("Callable[..., Any]", intrinsic(function))


def _wide(builder: Any, number: Any) -> Any:
    return builder.sext(number, ir.IntType(64)) if number.type.width < 64 else number


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [_wide(builder, index)]), _I16X16.as_pointer())


@_operation
def at(_typing: Any, array: Any, index: Any) -> tuple[Any, Callable[..., Any]]:
    """`array[index]` of a flat array, the index never negative: without a check for that, loops are fast."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [_wide(builder, args[1])]))

    return array.dtype(array, index), generate


@_operation
def ones(_typing: Any, _word: Any) -> tuple[Any, Callable[..., Any]]:
    """How many bits of a uint64 are set."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@_operation
def load(_typing: Any, array: Any, index: Any) -> tuple[Any, Callable[..., Any]]:
    """The vector at `array[index : index + 16]`; nothing checks that it lies inside."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args[0], args[0], args[1]), align=2)

    return lanes(array, index), generate


@_operation
def store(_typing: Any, array: Any, index: Any, vector: Any) -> tuple[Any, Callable[..., Any]]:
    """Write `vector` to `array[index : index + 16]`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature.args[0], args[0], args[1]), align=2)
        return context.get_dummy_value()

    return types.void(array, index, vector), generate


@_operation
def splat(_typing: Any, _number: Any) -> tuple[Any, Callable[..., Any]]:
    """A vector of sixteen times the same int16."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        undefined = ir.Constant(_I16X16, ir.Undefined)
        single = builder.insert_element(undefined, args[0], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(single, undefined, everywhere)

    return lanes(types.int16), generate


@_operation
def add(_typing: Any, left: Any, right: Any) -> tuple[Any, Callable[..., Any]]:
    """Lane by lane, wrapping around."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.add(args[0], args[1])

    return lanes(left, right), generate


@_operation
def subtract(_typing: Any, left: Any, right: Any) -> tuple[Any, Callable[..., Any]]:
    """Lane by lane, wrapping around."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.sub(args[0], args[1])

    return lanes(left, right), generate


@_operation
def equal(_typing: Any, left: Any, right: Any) -> tuple[Any, Callable[..., Any]]:
    """-1 in the lanes in which both are the same, 0 in the others."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.sext(builder.icmp_signed("==", args[0], args[1]), _I16X16)

    return lanes(left, right), generate


@_operation
def both(_typing: Any, left: Any, right: Any) -> tuple[Any, Callable[..., Any]]:
    """The bits set in both; a lane of zeros takes a lane out."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.and_(args[0], args[1])

    return lanes(left, right), generate


@_operation
def larger(_typing: Any, left: Any, right: Any) -> tuple[Any, Callable[..., Any]]:
    """The larger number of each lane."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed(">", args[0], args[1]), args[0], args[1])

    return lanes(left, right), generate
