"""Solvers for our tasks in Inspect AI: the loop of `gitgoodbench eval`, and Inspect's own `react` agent."""

from __future__ import annotations

from typing import Any

from gitgoodbench.api.session import Session
from gitgoodbench.errors import Status
from gitgoodbench.extras import needed
from gitgoodbench.frameworks.inspect_episodes import Left, episode_tools, in_thread, keep_outcome, session_of

with needed("inspect", "inspect_ai"):
    from inspect_ai.agent import AgentState, as_solver, react
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser, get_model
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolCall
    from inspect_ai.util import store_as

_TWICE = "answered twice in a row without calling a tool"
_FILTERED = "the content filter cut the answer off"
_EMPTY = "context limit: the answer was cut off before it said anything"


@solver(name="published_loop")
def published_loop() -> Solver:
    """The loop of `gitgoodbench eval`: until the episode is finished, with one reminder for an answer without a call.

    The calls of one answer go to the session together, so that one that fails keeps later ones from being run.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        left = store_as(Left)
        session = session_of(left)
        left.working = True
        await _work(state, session, left)
        await keep_outcome(left, session)
        return state

    return solve


async def _work(state: TaskState, session: Session, left: Left) -> None:
    model, reminded = get_model(), False
    while not session.finished:
        state.output = await model.generate(state.messages, state.tools)
        message = state.output.message
        state.messages.append(message)
        if state.output.stop_reason == "content_filter":
            return left.end(Status.GAVE_UP, _FILTERED)
        if state.output.stop_reason in ("max_tokens", "model_length") and not message.tool_calls and not message.text:
            return left.end(Status.LIMIT_REACHED, _EMPTY)
        if message.tool_calls:
            reminded = False
            await _run_calls(state, session, message.tool_calls)
        elif reminded:
            return left.end(Status.GAVE_UP, _TWICE)
        else:
            reminded = True
            state.messages.append(ChatMessageUser(content=session.reminder))
    return None


async def _run_calls(state: TaskState, session: Session, calls: list[ToolCall]) -> None:
    results = await in_thread(session.calls, [(call.function, _arguments(call)) for call in calls])
    state.messages.extend(
        ChatMessageTool(content=result.text, tool_call_id=call.id, function=call.function)
        for call, result in zip(calls, results, strict=True)
    )


def _arguments(call: ToolCall) -> dict[str, Any] | str:
    """As the model wrote them, as far as Inspect tells: where it could not read them, its complaint, which quotes
    them, and which our own reader will refuse.
    """
    return call.arguments if call.parse_error is None else call.parse_error


@solver(name="react")
def react_loop() -> Solver:
    """Inspect's `react` agent with the tools of the sample. It ends as our loop does; nothing has to be submitted."""
    agent = as_solver(react(prompt=None, tools=[episode_tools()], submit=False, on_continue=_goes_on))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        left = store_as(Left)
        left.working = True
        state = await agent(state, generate)
        left.working = False
        return state

    return solve


async def _goes_on(state: AgentState) -> bool | str:
    left = store_as(Left)
    session = session_of(left)
    if session.finished:
        return False
    if state.output.message.tool_calls:
        return True
    if _silent_before(state.messages):
        left.end(Status.GAVE_UP, _TWICE)
        return False
    return session.reminder


def _silent_before(messages: list[ChatMessage]) -> bool:
    """Whether the answer before the last one called nothing either."""
    answers = [message for message in messages if isinstance(message, ChatMessageAssistant)]
    return len(answers) > 1 and not answers[-2].tool_calls
