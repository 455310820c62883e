"""TRACE's checkpoints by torch: small ones with random weights against the published formulas.

Skipped where torch and transformers are not installed; they are no dependencies. Elsewhere it needs nothing of ours:
python -m pytest --noconftest -c /dev/null --rootdir . tests/runner/suites/nextedit/systems/test_trace_neural.py
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="torch is not installed")
transformers: Any = pytest.importorskip("transformers", reason="transformers is not installed")
tokenizers: Any = pytest.importorskip("tokenizers", reason="tokenizers is not installed")

SYSTEMS = Path(__file__).parents[5] / "runner" / "suites" / "nextedit" / "systems"
MARKS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
SMALL = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}


def _neural() -> ModuleType:
    spec = importlib.util.spec_from_file_location("neural", SYSTEMS / "trace" / "neural.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NEURAL = _neural()


def tokenizer_in(folder: Path, added: Sequence[str]) -> Any:  # noqa: ANN401 - of a library that may not be there
    """A small tokenizer of the kind that the checkpoints have, saved without the tokens that they add."""
    folder.mkdir()
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train([str(path) for path in SYSTEMS.glob("*.py")], vocab_size=400, special_tokens=MARKS)
    trained.save_model(str(folder))
    plain = transformers.RobertaTokenizer.from_pretrained(str(folder))
    plain.save_pretrained(str(folder))
    plain.add_tokens(list(added), special_tokens=True)
    return plain


def test_the_invoker_gives_what_its_layers_give_at_the_first_token(tmp_path: Path) -> None:
    torch.manual_seed(0)
    words = tokenizer_in(tmp_path / "it", NEURAL._INVOKER_TOKENS)
    config = transformers.RobertaConfig(
        vocab_size=len(words) - len(NEURAL._INVOKER_TOKENS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=520,
        pad_token_id=1,
    )
    config.save_pretrained(tmp_path / "it")
    encoder = transformers.RobertaModel(config).eval()
    encoder.resize_token_embeddings(len(words))
    dense, head = torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)
    parts = {"encoder": encoder, "dense": dense, "lm_head": head}
    state = {f"{name}.{key}": value for name, part in parts.items() for key, value in part.state_dict().items()}
    torch.save({**state, "bias": torch.ones(2, 2)}, tmp_path / "it" / "pytorch_model.bin")
    texts = ["<rename><latest_edit><before>a</before>", "b" * 3000]

    found = NEURAL.load_invoker(tmp_path / "it", "", "cpu")(texts)

    made = words(texts, padding="max_length", truncation=True, max_length=512, return_tensors="pt")
    with torch.no_grad():
        hidden = encoder(made["input_ids"], attention_mask=made["attention_mask"])[0]
        wanted = torch.sigmoid(head(torch.tanh(dense(hidden)))[:, 0, :]).tolist()
    assert torch.allclose(torch.tensor(found), torch.tensor(wanted), atol=1e-5)


def test_the_locator_gives_the_shares_of_six_labels_at_every_mask(tmp_path: Path) -> None:
    torch.manual_seed(0)
    words = tokenizer_in(tmp_path / "it", NEURAL._LOCATOR_TOKENS)
    plain_size = len(words) - len(NEURAL._LOCATOR_TOKENS)
    config = transformers.T5Config(vocab_size=plain_size, **SMALL)
    config.save_pretrained(tmp_path / "it")
    encoder = transformers.T5EncoderModel(config).encoder.eval()
    encoder.resize_token_embeddings(len(words))
    dense = torch.nn.Linear(16, 16)
    state = {f"encoder.{key}": value for key, value in encoder.state_dict().items()}
    state |= {f"dense.{key}": value for key, value in dense.state_dict().items()}
    state["lm_head.weight"] = encoder.get_input_embeddings().weight
    torch.save(state, tmp_path / "it" / "weights.bin")
    text = "<code_window><inter-mask><mask>x = 1\n<inter-mask><mask>y = 2\n<inter-mask><prompt>do</prompt>"

    locator = NEURAL.Locator(tmp_path / "it", "", "cpu")
    (found,) = locator([text])

    made = words([text], padding="max_length", truncation=True, max_length=512, return_tensors="pt")
    with torch.no_grad():
        hidden = torch.tanh(dense(encoder(made["input_ids"], attention_mask=made["attention_mask"])[0]))
        shares = torch.softmax(hidden @ state["lm_head.weight"].T, -1)[0]
    masks = {words.mask_token_id, words.convert_tokens_to_ids("<inter-mask>")}
    places = [at for at, token in enumerate(made["input_ids"][0].tolist()) if token in masks]
    wanted = [[shares[at, words.convert_tokens_to_ids(f"<{label}>")].item() for label in found[0]] for at in places]
    assert len(found) == 5
    assert torch.allclose(torch.tensor([list(mark.values()) for mark in found]), torch.tensor(wanted), atol=1e-6)
    assert locator.count(["x = 1\n"])[0] > 1


def test_the_generator_writes_texts_from_weights_in_a_file_and_a_base_beside_it(tmp_path: Path) -> None:
    torch.manual_seed(0)
    bases = tmp_path / "bases"
    bases.mkdir()
    words = tokenizer_in(bases / "codet5-base", NEURAL._GENERATOR_TOKENS)
    plain_size = len(words) - len(NEURAL._GENERATOR_TOKENS)
    ids = {"decoder_start_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    config = transformers.T5Config(vocab_size=plain_size, **SMALL, **ids)
    config.save_pretrained(bases / "codet5-base")
    model = transformers.T5ForConditionalGeneration(config)
    model.resize_token_embeddings(len(words))
    torch.save(model.state_dict(), tmp_path / "generator.bin")

    found = NEURAL.load_generator(tmp_path / "generator.bin", str(bases), "cpu")(["<feedback>normal</feedback>"] * 9)

    assert len(found) == 9
    assert all(isinstance(text, str) for text in found)
    assert len(set(found)) == 1


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="has no weights"):
        NEURAL._weights(tmp_path)
