"""One model as a judge: asks in both orders, so many times, and keeps every answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from gitgoodbench.errors import EpisodeError, GaveUp
from gitgoodbench.models.answer import Answer
from gitgoodbench.models.chat import ChatModel
from gitgoodbench.models.finding import Finding
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.models.preflight import probe
from gitgoodbench.models.recording import recorder, recording
from gitgoodbench.scenario import Message
from gitgoodbench.scoring.judge.answers import Comparison, UnreadableAnswer, read_comparison
from gitgoodbench.scoring.judge.prompt import ASK_AGAIN, CONNECTION_TEST, Question
from gitgoodbench.scoring.judge.record import OpinionRecord, QuestionRecord, RawAnswer, total_usage
from gitgoodbench.scoring.judge.votes import Order, Vote, both_orders, majority, vote_of
from gitgoodbench.text import capped, clean

QUESTION_TIMEOUT_S: Final = 1800.0
"""For one question in one order, all tries and waits included."""

_TRIES: Final = 2


class Answers(Protocol):
    """A model that answers; a `ChatModel`, or one that a framework has opened."""

    name: str

    def meter(self, budget: Budget) -> Meter: ...

    def answer(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter) -> Answer:
        """One answer; see `loop.Chat`."""
        ...


class Judge:
    """See the module's docstring. Used by several threads at once."""

    def __init__(self, model: Answers) -> None:
        self.model = model.name
        self._chat = model

    def preflight(self) -> Finding:
        """One small question, to show whether key, model and schema work.

        Raises:
            RunAborted: they do not.
        """
        assert isinstance(self._chat, ChatModel)  # a framework tries its models itself
        return probe(self._chat, CONNECTION_TEST, (), lambda answer: _read(answer, answer.finish_reason)[1] is not None)

    def ask(self, question: Question, repeats: int) -> OpinionRecord:
        """The judge's opinion. A server that fails ends the questions; the opinion's `problem` then says so.

        Raises:
            RunAborted: no question can succeed (rejected key, exhausted quota, unknown model).
        """
        asked: list[QuestionRecord] = []
        meters: list[Meter] = []
        problem = None
        try:
            for repeat in range(1, repeats + 1):
                for order in Order:
                    conversation = recorder().conversation(f"{self.model} {order} {repeat}", repeat)
                    meters.append(self._chat.meter(Budget(max_turns=None, timeout_s=QUESTION_TIMEOUT_S)))
                    with recording(conversation):
                        self._ask(question.prompts[order], order, repeat, meters[-1], asked)
        except EpisodeError as failure:
            problem = f"judge {self.model}: {failure}"
        return self._opinion(asked, repeats, meters, problem)

    def _ask(
        self, prompt: Sequence[Message], order: Order, repeat: int, meter: Meter, asked: list[QuestionRecord]
    ) -> None:
        """Ask once, and once more where the answer is unreadable; every answer is in `asked`, whatever happens then."""
        messages = list(prompt)
        asked.append(QuestionRecord(order=order, repeat=repeat))
        for _ in range(_TRIES):
            said, finish_reason = self._answer(messages, meter)
            answer, comparison = _read(said, finish_reason)
            asked[-1] = asked[-1].model_copy(update={"answers": (*asked[-1].answers, answer)})
            if comparison is not None:
                vote = vote_of(comparison.preferred, order)
                update = {"preferred": comparison.preferred, "reason": comparison.reason, "vote": vote}
                asked[-1] = asked[-1].model_copy(update=update)
                return
            before = [said.message] if isinstance(said, Answer) and not said.is_empty else []
            messages = [*prompt, *before, {"role": "user", "content": ASK_AGAIN.format(problem=answer.problem)}]
        recorder().discard()

    def _answer(self, messages: Sequence[Message], meter: Meter) -> tuple[Answer | str, str]:
        """Answer and finish reason; a request that the content filter stops is an answer that cannot be read."""
        try:
            answer = self._chat.answer(messages, (), meter)
        except GaveUp as refusal:
            return str(refusal), "content_filter"
        meter.count(answer.tokens)
        return answer, answer.finish_reason

    def _opinion(
        self, asked: Sequence[QuestionRecord], repeats: int, meters: Sequence[Meter], problem: str | None
    ) -> OpinionRecord:
        first, second = (_majority_of(asked, order, repeats) for order in Order)
        return OpinionRecord(
            model=self.model,
            verdict=both_orders(first, second),
            agent_first=first,
            real_first=second,
            consistent=None if first is None or second is None else first is second,
            questions=tuple(asked),
            usage=total_usage([meter.usage for meter in meters]),
            notes=tuple(dict.fromkeys(note for meter in meters for note in meter.notes)),
            problem=problem or _unreadable(self.model, asked),
            failed=problem is not None,
        )


def _read(said: Answer | str, finish_reason: str) -> tuple[RawAnswer, Comparison | None]:
    """Read what a judge says; where that is no answer, what it thought, which is where some servers put all of it."""
    text, thoughts = (said, "") if isinstance(said, str) else (said.text, said.thoughts)
    try:
        return RawAnswer(text=_kept(text), finish_reason=finish_reason), read_comparison(text)
    except UnreadableAnswer as problem:
        unreadable = RawAnswer(text=_kept(text), finish_reason=finish_reason, problem=str(problem))
    if thoughts:
        try:
            return RawAnswer(text=_kept(thoughts), finish_reason=finish_reason), read_comparison(thoughts)
        except UnreadableAnswer:
            pass
    return unreadable, None


def _kept(text: str) -> str:
    """An answer as a result holds it: some write megabytes. The transcript has it whole."""
    return capped(clean(text))


def _majority_of(asked: Sequence[QuestionRecord], order: Order, repeats: int) -> Vote | None:
    votes = [question.vote for question in asked if question.order is order]
    return majority(votes + [None] * (repeats - len(votes)))


def _unreadable(model: str, asked: Sequence[QuestionRecord]) -> str | None:
    for question in asked:
        if question.vote is None:
            return f"judge {model}: its answer could not be read ({question.answers[-1].problem})"
    return None
