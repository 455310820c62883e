"""The randomisation test of paired differences: were the two variants alike, each sign could as well be the other."""

from collections.abc import Sequence

# Up to so many differences other than 0 all signs are tried, 65,536 at most.
EXACT_UP_TO = 16
_DRAWS = 20_000
# So many choices are drawn at once, or as many as have so many signs: a number that 4 divides, as the generator draws
# four signs at a time. So the choices do not depend on how many are drawn at once.
_DRAWS_AT_ONCE = 2_000
_MOST_SIGNS = 4_000_000
# Sums of the same numbers in another order may differ by so much.
_NOISE = 1e-9


def sign_flip_p(differences: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p-value of Fisher's randomisation test (Fisher 1935, section 21), one difference per case.

    The p-value is the share of all choices of signs by which the sum is at least as far from 0. With more than 16
    differences other than 0 it is estimated from 20,000 random choices, which always are the same for the same seed:
    (as far + 1) / (choices + 1), which keeps the size of the test (Phipson and Smyth 2010).
    """
    # numpy is loaded only where it is needed.
    import numpy as np

    # In one order, whatever that of the answers was, so that the same differences have the same p-value.
    values = np.sort(np.asarray([value for value in differences if value], np.float64))
    if not len(values):
        return 1.0
    distance = abs(float(values.sum())) - _NOISE * float(np.abs(values).sum())
    if len(values) <= EXACT_UP_TO:
        signs = np.array([[1.0, -1.0]])
        sums = np.zeros(1)
        for value in values:
            sums = (sums[:, None] + signs * value).ravel()
        return float((np.abs(sums) >= distance).mean())
    generator = np.random.default_rng(seed)
    far = 0
    at_once = max(4, min(_DRAWS_AT_ONCE, _MOST_SIGNS // len(values) // 4 * 4))
    for drawn in range(0, _DRAWS, at_once):
        chosen = generator.integers(0, 2, (min(at_once, _DRAWS - drawn), len(values)), np.int8)
        # The sum of the flipped is subtracted twice.
        sums = values.sum() - 2 * (chosen @ values)
        far += int((np.abs(sums) >= distance).sum())
    return (far + 1) / (_DRAWS + 1)
