"""The three checkpoints by torch and transformers, which are imported where this is used and nowhere else.

A checkpoint is a file of weights (a state dictionary saved by torch), or a folder with one. The model that it was
trained from gives configuration and tokenizer: from the checkpoint's own folder if it has a `config.json`, else from
the folder of its name among the bases, else from the hub. Shapes and added tokens are those of the published
checkpoints: the invoker a CodeBERT encoder with a dense layer and four outputs at the first token, the locator the
encoder of CodeT5 whose embeddings are its outputs too, the generator CodeT5 itself.
"""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LONGEST = 512
_BATCH = 8
_WEIGHTS = ("pytorch_model.bin", "model.bin", "model.safetensors")
_INVOKER_TOKENS = ("<last_edit>", "</last_edit>", "<before>", "</before>", "<after>", "</after>", "<previous_edit>",
                   "</previous_edit>", "<variable_rename>", "<function_rename>", "<def&ref>", "<clone>")  # fmt: skip
_SHARED_TOKENS = ("<inter-mask>", "<code_window>", "</code_window>", "<prompt>", "</prompt>", "<prior_edits>",
                  "</prior_edits>", "<edit>", "</edit>", "<keep>", "<replace>", "<delete>", "<null>", "<insert>",
                  "<block-split>")  # fmt: skip
_LOCATOR_TOKENS = (*_SHARED_TOKENS, "</insert>", "<replace-by>", "</replace-by>")
_GENERATOR_TOKENS = (*_SHARED_TOKENS, "<replace-by>", "</replace-by>", "<feedback>", "</feedback>")
_LABELS = ("keep", "replace", "delete", "null", "insert", "block-split")


def _library(name: str) -> Any:  # noqa: ANN401 - a library that may not be there
    return importlib.import_module(name)


def _weights(path: Path) -> Path:
    if path.is_file():
        return path
    named = [path / name for name in _WEIGHTS if (path / name).is_file()]
    files = named or sorted([*path.glob("*.bin"), *path.glob("*.pt"), *path.glob("*.safetensors")])
    if not files:
        raise FileNotFoundError(f"{path} has no weights: no *.bin, *.pt or *.safetensors")
    return files[0]


def _state(path: Path, device: str) -> Any:  # noqa: ANN401 - the same
    file = _weights(path)
    if file.suffix == ".safetensors":
        return _library("safetensors.torch").load_file(file, device=device)
    return _library("torch").load(file, map_location=device, weights_only=True)


def _base(path: Path, bases: str, name: str) -> str:
    if (path / "config.json").is_file():
        return str(path)
    beside = Path(bases, name.rpartition("/")[2]) if bases else None
    return str(beside) if beside is not None and beside.is_dir() else name


def _tokenizer(base: str, added: Sequence[str]) -> Any:  # noqa: ANN401 - the same
    tokenizer = _library("transformers").AutoTokenizer.from_pretrained(base)
    tokenizer.add_tokens(list(added), special_tokens=True)
    return tokenizer


def _encoded(tokenizer: Any, texts: list[str], device: str) -> tuple[Any, Any]:  # noqa: ANN401 - the same
    encoded = tokenizer(texts, padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
    return encoded["input_ids"].to(device), encoded["attention_mask"].to(device)


def _batches(texts: list[str]) -> list[list[str]]:
    return [texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH)]


def _linear(state: Any, name: str, device: str) -> Any:  # noqa: ANN401 - the same
    """A layer of its weights alone."""
    nn = _library("torch").nn.functional
    weight, bias = state[f"{name}.weight"].to(device), state.get(f"{name}.bias")
    return lambda hidden: nn.linear(hidden, weight, None if bias is None else bias.to(device))


def _part(state: Any, prefix: str) -> dict[str, Any]:  # noqa: ANN401 - the same
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}


def load_invoker(path: Path, bases: str, device: str) -> Callable[[list[str]], list[list[float]]]:
    """From texts to the probabilities of the four kinds of edits."""
    torch = _library("torch")
    base = _base(path, bases, "microsoft/codebert-base")
    tokenizer = _tokenizer(base, _INVOKER_TOKENS)
    transformers = _library("transformers")
    encoder = transformers.RobertaModel(transformers.AutoConfig.from_pretrained(base))
    encoder.resize_token_embeddings(len(tokenizer))
    state = _state(path, device)
    encoder.load_state_dict(_part(state, "encoder."), strict=False)
    encoder.to(device).eval()
    dense, head = _linear(state, "dense", device), _linear(state, "lm_head", device)

    def answer(texts: list[str]) -> list[list[float]]:
        answers: list[list[float]] = []
        with torch.no_grad():
            for batch in _batches(texts):
                ids, mask = _encoded(tokenizer, batch, device)
                first = encoder(ids, attention_mask=mask)[0][:, 0, :]
                answers += torch.sigmoid(head(torch.tanh(dense(first)))).cpu().tolist()
        return answers

    return answer


class Locator:
    """From texts to {label: probability} for each mask in them."""

    def __init__(self, path: Path, bases: str, device: str) -> None:
        """Load the encoder, and the layer before its embeddings, which are its outputs."""
        transformers = _library("transformers")
        base = _base(path, bases, "salesforce/codet5-large")
        self._device = device
        self._tokenizer = _tokenizer(base, _LOCATOR_TOKENS)
        self._encoder = transformers.T5EncoderModel(transformers.AutoConfig.from_pretrained(base)).encoder
        state = _state(path, device)
        self._encoder.resize_token_embeddings(len(self._tokenizer))
        self._encoder.load_state_dict(_part(state, "encoder."), strict=False)
        self._encoder.to(device).eval()
        self._dense = _linear(state, "dense", device)
        self._head = _linear(state, "lm_head", device)
        ids = self._tokenizer.convert_tokens_to_ids
        self._labels = [ids(f"<{label}>") for label in _LABELS]
        self._masks = (self._tokenizer.mask_token_id, ids("<inter-mask>"))

    def __call__(self, texts: list[str]) -> list[list[dict[str, float]]]:
        """The labels of all masks of each text."""
        torch = _library("torch")
        answers = []
        with torch.no_grad():
            for batch in _batches(texts):
                ids, mask = _encoded(self._tokenizer, batch, self._device)
                hidden = torch.tanh(self._dense(self._encoder(ids, attention_mask=mask)[0]))
                shares = torch.softmax(self._head(hidden), dim=-1)[:, :, self._labels].cpu().tolist()
                for row, tokens in zip(shares, ids.cpu().tolist(), strict=True):
                    marks = [place for place, token in zip(row, tokens, strict=True) if token in self._masks]
                    answers.append([dict(zip(_LABELS, place, strict=True)) for place in marks])
        return answers

    def count(self, texts: list[str]) -> list[int]:
        """How many tokens texts have."""
        return [len(self._tokenizer.tokenize(text)) for text in texts]


def load_generator(path: Path, bases: str, device: str) -> Callable[[list[str]], list[str]]:
    """From texts to what is to be written."""
    torch, transformers = _library("torch"), _library("transformers")
    base = _base(path, bases, "salesforce/codet5-base")
    tokenizer = _tokenizer(base, _GENERATOR_TOKENS)
    model = transformers.T5ForConditionalGeneration(transformers.AutoConfig.from_pretrained(base))
    model.resize_token_embeddings(len(tokenizer))
    model.load_state_dict(_state(path, device), strict=False)
    model.to(device).eval()

    def answer(texts: list[str]) -> list[str]:
        answers: list[str] = []
        with torch.no_grad():
            for batch in _batches(texts):
                ids, mask = _encoded(tokenizer, batch, device)
                output = model.generate(ids, attention_mask=mask, num_beams=1, do_sample=False, max_length=LONGEST)
                decoded = (tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
                           for tokens in output)  # fmt: skip
                answers += decoded
        return answers

    return answer


LOADERS = {"invoker": load_invoker, "locator": Locator, "generator": load_generator}
