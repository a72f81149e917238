// Draws the charts of the page. Texts from code lists and tables are only ever set as text. The page joins this file and those
// after it in one block.
const byId = (id) => document.getElementById(id);
const read = (id) => JSON.parse(byId(id).textContent);
const words = read("data-words");
const say = (name, values) => words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
const told = (name, values) => words.calculator[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
const made = (tag, text, properties = {}, ...inside) => {
  const found = Object.assign(document.createElement(tag), { textContent: text, ...properties });
  found.append(...inside);
  return found;
};
const pressed = (text, press, more = {}) => {
  const button = made("button", text, { type: "button", ...more });
  button.addEventListener("click", press);
  return button;
};
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const whole = (number) => number.toLocaleString("en-US", { maximumFractionDigits: Math.abs(number) < 1000 ? 1 : 0 });
const tooltip = { disableDefaultStyle: true };
const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip };

// --- charts that fit: labels, titles and legends in as many lines, and axes with as many ticks, as there is room ---

const pen = document.createElement("canvas").getContext("2d");
const widthOf = (text, size) => {
  pen.font = `${size}px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif`;
  return pen.measureText(text).width;
};

// A word in parts, where it is longer than the room.
const parted = (word, room, size) => {
  const letters = [...word];
  const most = Math.max(1, Math.floor((letters.length * room) / Math.max(1, widthOf(word, size))));
  return letters.length <= most ? [word] : [letters.slice(0, most).join(""), ...parted(letters.slice(most).join(""), room, size)];
};

const lines = (text, room, size) => {
  const found = [];
  for (const word of text.split(" ").flatMap((each) => parted(each, room, size))) {
    const longer = found.length ? `${found.at(-1)} ${word}` : word;
    if (found.length && widthOf(longer, size) <= room) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
};

const longest = (texts, size) => Math.max(0, ...texts.map((text) => widthOf(text, size)));

// The texts that a channel shows, in the data of the figure.
const textsOf = (channel, figure) => {
  const domain = channel.scale?.domain ?? (Array.isArray(channel.sort) ? channel.sort : null);
  return domain ?? [...new Set(figure.data.values.map((row) => row[channel.field]))].filter((text) => text != null).map(String);
};

// The texts in several lines, where one line is longer than the room: an expression that gives them, or none.
const broken = (texts, room) => {
  const found = texts.map((text) => [text, lines(text, room, 11)]);
  const most = Math.max(1, ...found.map(([, each]) => each.length));
  const width = longest(found.flatMap(([, each]) => each), 11);
  const labelExpr = `(${JSON.stringify(Object.fromEntries(found))})[datum.label]`;
  return { lines: most, width, label: { labelLimit: 0, ...(most > 1 ? { labelExpr } : {}) } };
};

const fitTitle = (channel, room) => {
  const holder = channel.axis && "title" in channel.axis ? channel.axis : channel;
  if (typeof holder.title === "string") holder.title = lines(holder.title, room, 12);
};

const fitTicks = ({ axis, scale }, room) => {
  const most = Math.max(2, Math.floor(room / 90));
  if (axis && !axis.values && scale?.type !== "log") axis.tickCount = Math.min(axis.tickCount ?? 10, most);
};

const fitLegend = (channel, figure, room) => {
  if (channel.legend === null || !["nominal", "ordinal"].includes(channel.type)) return;
  const names = broken(textsOf(channel, figure), room - 34);
  const columns = Math.max(1, Math.min(5, Math.floor(room / (names.width + 34))));
  channel.legend = { ...channel.legend, columns, labelLimit: 0, ...names.label };
};

// Small panels, two beside one another, with their names above them and room for their axes.
const fittedPanels = ({ facet, spec, ...figure }, width) => {
  const panel = Math.max(80, Math.floor((width - 130) / 2));
  const names = broken(textsOf(facet, figure), panel + 40);
  return { ...figure, facet: { ...facet, header: { ...facet.header, labelLimit: 0, ...names.label } }, spec: { ...spec, width: panel } };
};

const fitted = (original, width) => {
  if (original.facet) return fittedPanels(original, width);
  const figure = structuredClone(original);
  const encodings = [figure, ...(figure.layer ?? [])].map((part) => part.encoding ?? {});
  let names = { lines: 1, width: 40 };
  for (const { y } of encodings) {
    if (y?.type === "nominal") {
      names = broken(textsOf(y, figure), 0.36 * width);
      y.axis = { ...y.axis, ...names.label };
    } else if (y?.title || y?.axis?.title) fitTitle(y, figure.height);
  }
  for (const encoding of encodings) {
    if (encoding.x?.type === "quantitative") {
      fitTitle(encoding.x, width - names.width - 30);
      fitTicks(encoding.x, width - names.width);
    }
    for (const channel of ["color", "shape", "opacity", "strokeDash"]) {
      if (encoding[channel]?.field) fitLegend(encoding[channel], figure, width - names.width - 20);
    }
  }
  if (names.lines > 1 && typeof figure.height === "number") {
    const { y } = encodings.find((encoding) => encoding.y?.type === "nominal");
    figure.height = Math.max(figure.height, textsOf(y, figure).length * (names.lines * 14 + 10));
  }
  figure.config.axis.labelSeparation = 8; // between labels, or some are left out
  return { ...figure, width, autosize: { type: "fit-x", contains: "padding" } };
};

const draw = async (place, figure) => {
  if (!place.clientWidth) return; // in a part of the page that is not seen
  try {
    // An element of its own: Vega describes the one it draws in, and the page has described the place already.
    const inside = place.appendChild(document.createElement("div"));
    inside.setAttribute("aria-hidden", "true");
    await vegaEmbed(inside, fitted(figure, place.clientWidth), options);
    place.replaceChildren(inside);
    place.dataset.drawn = "yes";
  } catch (error) {
    place.textContent = words.not_drawn;
    place.dataset.drawn = "no";
    console.error(error);
  }
};

// Calls `redraw` when the place has got another width, now and then while it changes; paper takes charts as they are.
const onWidth = (place, redraw) => {
  let width = place.clientWidth;
  let waiting = 0;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!place.clientWidth || place.clientWidth === width || window.matchMedia("print").matches) return;
      width = place.clientWidth;
      redraw();
    }, 120);
  }).observe(place);
};

// --- what is shown, in the address: a link to it brings it back. It begins with #?, so it is no place on the page ---

const view = {
  get: () => Object.fromEntries(new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "")),
  link: (values) => {
    const all = { ...view.get(), ...values };
    return `#?${new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""))}`;
  },
  set: (values) => history.replaceState(null, "", view.link(values)),
};
window.addEventListener("hashchange", () => location.hash.startsWith("#?") && location.reload());

// --- tables, the first column of which is words and the others numbers ---

const tableOf = (heads, rows) => {
  const head = heads.map((text, column) => (text ? made("th", text, { scope: "col", className: column ? "number" : "" }) : made("td", "")));
  const rowOf = ([name, ...values]) => made("tr", "", {}, made("th", name, { scope: "row" }), ...values.map((value) => made("td", value, { className: "number" })));
  return made("table", "", {}, made("thead", "", {}, made("tr", "", {}, ...head)), made("tbody", "", {}, ...rows.map(rowOf)));
};

const folded = (summary, table) => made("details", "", {}, made("summary", summary), made("div", "", { className: "scroll", tabIndex: 0 }, table));

// --- light and dark ---

const root = document.documentElement;
const button = byId("theme");
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
const showTheme = () => {
  button.ariaLabel = button.title = isDark() ? words.light : words.dark; // what pressing it brings
};
button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
prefersDark.addEventListener("change", showTheme);
showTheme();

// --- charts ---

const figures = read("data-figures");
for (const place of document.querySelectorAll("[data-figure]")) {
  const redraw = () => draw(place, figures[place.dataset.figure]);
  redraw();
  onWidth(place, redraw);
}

// --- wide tables say that they can be scrolled ---

const scrolled = new ResizeObserver((changes) => {
  for (const { target } of changes) target.nextElementSibling.hidden = target.scrollWidth <= target.clientWidth + 1;
});
for (const place of document.querySelectorAll(".scroll")) scrolled.observe(place);
