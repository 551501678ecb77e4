"""GRPOTrainer of TRL, which plays, scores and trains on two rollouts of every task: the rewards are those of `eval`.

The model is tiny and random, and cannot say anything; its `generate` answers from a script. All else is TRL's own. In
an environment of its own (make test-frameworks).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.frameworks.trl import Environment, environment, rows
from tests.frameworks.conftest import Asking
from tests.support.scripted_answers import Answers, figures

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]
pytest.importorskip("trl", reason="another framework's environment")

import torch  # noqa: E402
from datasets import Dataset  # type: ignore[import-untyped,unused-ignore]  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402
from trl.chat_template_utils import qwen3_instruct_2507_chat_template  # noqa: E402

GROUP = 2
START, END, PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"


def tokenizer_for(texts: Iterable[str]) -> Any:
    """A tokenizer of bytes and their most frequent pairs, with the chat template of Qwen3."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment,unused-ignore]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment,unused-ignore]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1000, special_tokens=[PAD, START, END], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call,unused-ignore]
        tokenizer_object=tokenizer, eos_token=END, pad_token=PAD, clean_up_tokenization_spaces=False,
        chat_template=qwen3_instruct_2507_chat_template,
    )  # fmt: skip


class ScriptedModel(Qwen3ForCausalLM):  # type: ignore[misc,no-untyped-call,unused-ignore]
    """A model that answers each conversation with the next call of its task, and then with a word."""

    answers: Answers
    tokenizer: Any

    def generate(self, input_ids: torch.Tensor, **_: Any) -> torch.Tensor:
        said = [self.tokenizer(self._answer(row), add_special_tokens=False).input_ids for row in input_ids]
        longest = max(map(len, said))
        padded = [ids + [self.tokenizer.pad_token_id] * (longest - len(ids)) for ids in said]
        return torch.cat([input_ids, torch.tensor(padded)], dim=1)

    def _answer(self, row: torch.Tensor) -> str:
        text = self.tokenizer.decode(row, skip_special_tokens=False)
        (task,) = [task for task, prompt in self.answers.prompts.items() if prompt in text]
        turn, steps = text.count(f"{START}assistant") - 1, self.answers.calls[task]
        if turn >= len(steps):
            return f"done{END}"
        name, arguments = steps[turn]
        return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>{END}"


def scripted_model(answers: Answers, tokenizer: Any) -> ScriptedModel:
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=1,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=1_000_000,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    model = ScriptedModel(config)
    model.answers, model.tokenizer = answers, tokenizer
    return model


def rewards_of_training(kind: type[Environment], answers: Answers, folder: Path) -> Mapping[str, list[float]]:
    """The reward of every rollout of a training, by task, as TRL hears it from the environment."""
    chosen = [row for row in rows(kind) if row["task"] in answers.calls]
    tokenizer = tokenizer_for([message["content"] for row in chosen for message in row["prompt"]])
    heard: dict[str, list[float]] = {}

    def listen(environments: Sequence[Environment], task: Sequence[str], **_: Any) -> list[None]:
        for instance, name in zip(environments, task, strict=True):
            heard.setdefault(name, []).append(instance.get_reward())
        return [None] * len(task)

    settings = GRPOConfig(
        output_dir=str(folder), use_cpu=True, bf16=False, report_to="none", save_strategy="no", logging_steps=1,
        gradient_checkpointing=False, num_generations=GROUP, per_device_train_batch_size=2 * GROUP,
        max_steps=len(chosen) // 2, max_completion_length=500_000, disable_tqdm=True,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=scripted_model(answers, tokenizer), reward_funcs=listen, args=settings, processing_class=tokenizer,
        train_dataset=Dataset.from_list([dict(row) for row in chosen]), environment_factory=kind,
    )  # fmt: skip
    trainer.train()
    means = [line[f"rewards/{kind.__name__}/mean"] for line in trainer.state.log_history if "reward" in line]
    everything = [reward for group in heard.values() for reward in group]
    assert sum(means) / len(means) == pytest.approx(sum(everything) / len(everything), abs=1e-5)
    return heard


@pytest.mark.parametrize("scenario", ["mcr", "ir", "icc"])
def test_its_rewards_are_those_of_eval(scenario: str, asked: Asking, tmp_path: Path) -> None:
    kind = environment(scenario, sandbox="local", offline=True)
    found = rewards_of_training(kind, asked(scenario).answers, tmp_path)
    expected = {task: [scored.reward] * GROUP for task, scored in figures(asked(scenario).run).items()}
    assert found == expected
