"""Race codes as table `persons` holds them."""


def packed(*codes: int) -> tuple[int, int]:
    """Up to eight codes as two numbers of four codes, 16 bits each; 0 none."""
    all_codes = [*codes, *[0] * (8 - len(codes))]
    first, last = (sum(code << 16 * (3 - place) for place, code in enumerate(all_codes[at : at + 4])) for at in (0, 4))
    return first, last
