"""`make reproductions`: computes every page of this folder and writes it."""

from collections.abc import Callable
from pathlib import Path

from docs.reproductions import clark_dajani, gardner, haney
from docs.reproductions.flaxman_petti import figures as flaxman_petti_figures
from docs.reproductions.flaxman_petti import page as flaxman_petti
from docs.reproductions.kifer import examples as kifer
from safetab_sql.kit.figures import write_figures

FOLDER = Path(__file__).parent
PAGES: dict[str, Callable[[], str]] = {
    "haney.md": haney.page,
    "kifer.md": kifer.page,
    "flaxman_petti.md": flaxman_petti.page,
    "clark_dajani.md": clark_dajani.page,
    "gardner.md": gardner.page,
}


def main() -> None:
    """Write every page, and the pictures of one."""
    (FOLDER / "pictures").mkdir(exist_ok=True)
    write_figures(FOLDER / "pictures", flaxman_petti_figures.figures(), ("png",))
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        print(f"wrote {name}", flush=True)


if __name__ == "__main__":
    main()
