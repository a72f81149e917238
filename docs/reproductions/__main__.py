"""`make reproductions`: computes the figures of every page of this folder and writes them."""

from collections.abc import Callable
from pathlib import Path

from docs.reproductions import clark_dajani, gardner, haney
from docs.reproductions.flaxman_petti import figures as flaxman_petti_figures
from docs.reproductions.flaxman_petti import page as flaxman_petti
from docs.reproductions.kifer import examples as kifer
from docs.reproductions.markdown import filled
from safetab_sql.kit.figures import write_figures

FOLDER = Path(__file__).parent
PAGES: dict[str, Callable[[], dict[str, str]]] = {
    "haney.md": haney.blocks,
    "kifer.md": kifer.blocks,
    "flaxman_petti.md": flaxman_petti.blocks,
    "clark_dajani.md": clark_dajani.blocks,
    "gardner.md": gardner.blocks,
}


def current(name: str) -> tuple[str, str]:
    """A page as it is, and as it should be."""
    page = (FOLDER / name).read_text(encoding="utf-8")
    return page, filled(page, PAGES[name]())


def main() -> None:
    """Write every page, and the pictures of one."""
    (FOLDER / "pictures").mkdir(exist_ok=True)
    write_figures(FOLDER / "pictures", flaxman_petti_figures.figures(), ("png",))
    for name in PAGES:
        (FOLDER / name).write_text(current(name)[1], encoding="utf-8")
        print(f"wrote {name}", flush=True)


if __name__ == "__main__":
    main()
