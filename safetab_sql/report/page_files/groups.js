// Population groups, one by one: pyramids, panels and bars; two of them side by side; one of them on a sheet of paper. Uses the
// functions of charts.js. Texts are only ever set as text.

const offered = 12; // of the groups that a text may mean
const made = (tag, text, properties = {}) => Object.assign(document.createElement(tag), { textContent: text, ...properties });
const percent = (tenths) => (Number.isNaN(tenths) ? "–" : `${(tenths / 10).toFixed(1)} %`);
const points = (tenths) => (Number.isNaN(tenths) ? "–" : say("points", { number: (tenths / 10).toFixed(1) }));
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A table whose first column is words and whose others are numbers.
const tableOf = (caption, heads, rows) => {
  const table = document.createElement("table");
  if (caption) table.createCaption().append(made("span", caption));
  const head = table.createTHead().insertRow();
  heads.forEach((text, column) => head.append(text ? made("th", text, { scope: "col", className: column ? "number" : "" }) : made("td", "")));
  const body = table.createTBody();
  for (const [name, ...values] of rows) {
    body.insertRow().append(made("th", name, { scope: "row" }), ...values.map((value) => made("td", value, { className: "number" })));
  }
  return table;
};

// --- what the page holds of a group ---

// The groups of a region with their tables of each ladder, the largest first. Every row has its count and the ends of its
// interval; of the places of intervals, the last one stands for all after it.
const entriesOf = (data, number) => {
  const found = new Map();
  const { iterations, layouts, counts: all, spans: reaches, ends: shares } = Object.fromEntries(Object.entries(data.tables).map(([name, regions]) => [name, regions[number]]));
  for (const [place, iteration] of iterations.entries()) {
    const [layout, counts, spans, ends] = [layouts, all, reaches, shares].map((own) => own[place]);
    const [code, name] = data.iterations[iteration];
    const rows = counts.map((count, row) => {
      const [below, above, moe95] = data.spans[spans[Math.min(row, spans.length - 1)]];
      return { count, low: count - below, high: count + above, moe95 };
    });
    const label = name && name !== code ? `${name} · ${code}` : code;
    const entry = found.get(iteration) ?? { label, code, name, total: rows[0], counts: [], tables: [] };
    entry.tables.push({ ...data.layouts[layout], rows, ends, notes: data.notes[number][place] });
    entry.counts.push(...counts);
    found.set(iteration, entry);
  }
  for (const entry of found.values()) {
    const tabulated = entry.tables.filter(({ panels }) => panels.length);
    entry.size = added(tabulated.map(({ rows }) => rows.length));
    entry.what = tabulated.map(({ name }) => name).join(", ") || words.total_alone;
  }
  return [...found.values()].sort((a, b) => b.total.count - a.total.count || a.label.localeCompare(b.label, "en"));
};

// The share of each part of the people of a table, in tenths of a per cent, with the ends of its interval. NaN is no share:
// that of a group whose total is not above 0. uncut: before it is cut to what a share can be; null where noise allows all:
// then the greater end stands first.
const sharesOf = ({ rows, cells, parts, ends }) => {
  const sum = (places) => added(places.map((place) => rows[place].count));
  const total = sum(cells);
  return parts.map(([name, places], part) => {
    const [first, last] = ends.slice(2 * part, 2 * part + 2);
    const share = total > 0 ? (1000 * sum(places)) / total : NaN;
    const [low, high] = [first, last].sort((a, b) => a - b).map((end) => Math.min(1000, Math.max(0, end)));
    const uncut = first <= last ? { count: share, low: first, high: last } : null;
    return { name, count: Math.min(high, Math.max(low, share)), low, high, uncut, allowed: [0, 1000], most: 1000 };
  });
};

// A count with its interval before it was cut at 0; null where it may have been published for its size.
const uncutOf = (row) => {
  const { count, low, high, moe95 } = row;
  const isAsDrawn = moe95 !== null && high === count + moe95 && [count - moe95, 0].includes(low);
  return { ...row, uncut: isAsDrawn ? { count, low: count - moe95, high } : null, allowed: [low, high], most: Infinity };
};

// One number less another, whose noise is independent: the ends of its interval lie as far away as the uncut ends of both lie
// from their numbers, squared and added (Zou and Donner 2008), and are cut to what a difference can be. Where there are none,
// all that is allowed.
const differenceOf = (one, other) => {
  const count = one.count - other.count;
  if (!one.uncut || !other.uncut) return { count, low: one.allowed[0] - other.allowed[1], high: one.allowed[1] - other.allowed[0] };
  const [a, b] = [one.uncut, other.uncut];
  const low = a.count - b.count - Math.hypot(a.count - a.low, b.high - b.count);
  const high = a.count - b.count + Math.hypot(a.high - a.count, b.count - b.low);
  return { count, low: Math.floor(Math.max(low, -other.most)), high: Math.ceil(Math.min(high, one.most)) };
};

// The groups that a text may mean: that of this very name or code; else those whose names begin with it, then those
// that have a word that does, then those that hold it anywhere; the largest first among equals.
const meant = (entries, text) => {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const fits = [
    ({ label, name, code }) => [label, name, code].some((each) => each.toLowerCase() === wanted),
    ({ label }) => label.toLowerCase().startsWith(wanted),
    ({ label }) => ` ${label.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`.includes(` ${wanted}`),
    ({ label }) => label.toLowerCase().includes(wanted),
  ];
  const exact = entries.filter(fits[0]);
  if (exact.length) return exact;
  const ranks = new Map(entries.map((entry) => [entry, fits.findIndex((fit) => fit(entry))]));
  return entries.filter((entry) => ranks.get(entry) > 0).sort((a, b) => ranks.get(a) - ranks.get(b));
};

// --- how a group is drawn ---

// The drawing of a panel: the page has it without counts. Panels side by side have one scale, and share the width.
const figureOf = (panel, rows, width) => {
  const figure = structuredClone(panel.figure);
  figure.data.values = panel.rows.map((row, number) => ({ ...row, ...rows[panel.places[number]] }));
  if (!panel.values.length) return figure;
  const ends = figure.data.values.flatMap(({ count, moe95, start, top }) => [count - moe95, count + moe95].map((end) => end / (top - start)));
  const domain = [Math.min(0, ...ends), 1.02 * Math.max(1, ...ends)];
  const most = Math.max(...figure.vconcat.map(({ hconcat }) => hconcat.length));
  for (const half of figure.vconcat.flatMap(({ hconcat }) => hconcat)) {
    half.width = besides(width, most, 96);
    for (const { encoding } of half.layer) {
      encoding.x.scale.domain = domain;
      encoding.x.axis.tickCount = half.width < 200 ? 2 : 5;
      encoding.x.axis.title = lines(encoding.x.axis.title, half.width, 12);
    }
  }
  return figure;
};

// The counts of a panel as a table: a line for each range where values have panels of their own, and else for each row.
const countsOf = ({ rows, places, values, axis, number }, counts) => {
  const own = rows.map((row, place) => ({ ...row, ...counts[places[place]] }));
  if (!values.length) return tableOf("", [axis, words.count, words.from, words.to], own.map(({ label, count, low, high }) => [label, ...[count, low, high].map(whole)]));
  const size = own.length / values.length;
  const lines = own.slice(0, size).map(({ label }, range) => {
    const cells = values.map((_, value) => own[value * size + range]);
    return [label, ...cells.map(({ count }) => whole(count)), margin(cells)];
  });
  return tableOf("", [number, ...values].map(capital).concat(words.moe_of_each), lines);
};

const span = (numbers) => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map(whole);
  return least === most ? least : say("span", { low: least, high: most });
};

// The margins of error of counts; those of sums that were cut off at 0 have none.
const margin = (counts) => (counts.every(({ moe95 }) => moe95 !== null) ? `±\u00a0${span(counts.map(({ moe95 }) => moe95))}` : "–");

const interval = ({ count, low, high }) => say("interval", { count: whole(count), low: whole(low), high: whole(high) });

const folded = (summary, table) => {
  const [details, scroll] = [document.createElement("details"), made("div", "", { className: "scroll", tabIndex: 0 })];
  scroll.append(table);
  details.append(made("summary", summary), scroll);
  return details;
};

// --- a place on the page where a reader picks a group and sees it ---

// known: gives the groups of a region. ending: of the ids of its elements. changed: called when another group is shown.
const slot = (data, known, ending, changed) => {
  const part = (name) => byId(`${name}${ending}`);
  const [region, group, choices, hint, matches] = ["region", "group", "groups", "group-hint", "matches"].map(part);
  const place = part("tables");
  let entries = []; // of the region that is picked
  let picked = null;

  const where = () => region.options[region.selectedIndex].text;
  const name = () => `${picked.label}, ${where()}`;

  const panelOf = (panel, rows, isOnly, waiting) => {
    const holder = made("figure", "", { className: panel.values.length ? "panels" : "" });
    const drawing = made("div", "", { className: "drawing" });
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", `${panel.title}: ${name()}. ${panel.description}`);
    if (!isOnly || !panel.values.length) holder.append(made("h5", isOnly ? panel.axis : `${panel.title}: ${panel.axis}`));
    holder.append(drawing, folded(words.counts, countsOf(panel, rows)));
    waiting.push([drawing, (width) => figureOf(panel, rows, width)]);
    return holder;
  };

  // A table that the group got: its total, then a drawing for each of its breakdowns, and its shares.
  const tableParts = (table, waiting) => {
    const shown = document.createElement("div");
    const ranged = table.panels.at(-1)?.values.length ? say("each", { margin: margin(table.cells.map((cell) => table.rows[cell])) }) : "";
    const detail = table.panels.length ? ranged : words.alone;
    const total = made("p", `${words.total} ${interval(table.rows[0])}${detail}`);
    for (const note of table.notes) total.append(document.createElement("br"), made("span", note));
    shown.append(made("h4", table.name), total);
    shown.append(...table.panels.map((panel) => panelOf(panel, table.rows, table.panels.length === 1, waiting)));
    const shares = sharesOf(table).map(({ name: share, ...ends }) => [share, ...[ends.count, ends.low, ends.high].map(percent)]);
    if (shares.length) {
      const held = tableOf(say("shares", data), [words.share, words.of_total, words.from, words.to], shares);
      shown.append(Object.assign(held, { className: "shares" }));
    }
    return shown;
  };

  const show = (entry) => {
    picked = entry;
    const waiting = [];
    part("picked-name").textContent = name();
    part("below-zero").hidden = Math.min(...entry.counts) >= 0;
    place.replaceChildren(...entry.tables.map((table) => tableParts(table, waiting)));
    for (const [drawing, figure] of waiting) draw(drawing, figure(drawing.clientWidth));
    changed();
  };

  const offer = (several) => {
    matches.hidden = several.length < 2;
    matches.replaceChildren(
      ...several.slice(0, several.length < 2 ? 0 : offered).map((entry) => {
        const [line, choice] = [made("li", ""), made("button", "", { type: "button" })];
        choice.append(...[entry.label, whole(entry.total.count)].map((text) => made("span", text)));
        choice.setAttribute("aria-current", String(entry === picked));
        choice.addEventListener("click", () => {
          show(entry);
          for (const other of matches.querySelectorAll("button")) other.setAttribute("aria-current", String(other === choice));
        });
        line.append(choice);
        return line;
      }),
    );
  };

  // isTyping: more may come, so the text stays in the field.
  const pick = (isTyping = false) => {
    const text = group.value.trim();
    if (!text) {
      offer([]);
      return;
    }
    const several = meant(entries, text);
    if (!several.length) hint.textContent = say("none_called", { where: where(), text });
    else if (several.length === 1) hint.textContent = "";
    else {
      const more = several.length > offered ? say("more", { offered }) : "";
      hint.textContent = say("several", { text, number: whole(several.length), where: where(), more });
    }
    if (several.length && several[0] !== picked) show(several[0]);
    offer(several);
    if (several.length === 1 && !isTyping) group.value = ""; // the name stands below, whole; this field may be too narrow for it
  };

  // The groups of the region that is picked; the same group as before is shown, or else the largest with a table.
  const enter = (label = picked?.label) => {
    entries = known(Number(region.value));
    choices.replaceChildren(
      ...entries.map((entry) => Object.assign(new Option(), { value: entry.label, label: `${entry.label} – ${entry.what}` })),
    );
    hint.textContent = "";
    offer([]);
    show(entries.find((entry) => entry.label === label) ?? entries.find((entry) => entry.size) ?? entries[0]);
  };

  // One list, in parts by region type where there are several; typing the beginning of a name finds it.
  const types = [...new Set(data.regions.map(([type]) => type))];
  for (const type of types) {
    const list = types.length > 1 ? region.appendChild(Object.assign(document.createElement("optgroup"), { label: type })) : region;
    data.regions.forEach(([own, , text], number) => {
      if (own === type) list.append(new Option(text, number));
    });
  }
  region.addEventListener("change", () => known.when(Number(region.value), () => enter()));
  group.addEventListener("focus", () => group.select());
  let waiting = 0;
  group.addEventListener("change", () => pick());
  group.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => pick(true), 150);
  });
  part("picker").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    pick();
  });
  part("print").addEventListener("click", () => printGroup(part("slot")));
  onWidth(place, () => picked && show(picked));
  return {
    name,
    entry: () => picked,
    region: () => region.value,
    link: () => ({ region: data.regions[region.value].slice(0, 2).join(" "), group: picked.code }),
    go: (number, label) => {
      region.value = number;
      enter(label);
    },
    follow: ({ region: wanted, group: code }) => {
      const number = Math.max(0, data.regions.findIndex(([type, id]) => `${type} ${id}` === wanted));
      region.value = number;
      known.when(number, () => enter(known(number).find((entry) => entry.code === code)?.label));
    },
  };
};

// --- two groups side by side ---

const comparison = (data, slots) => {
  const [one, other] = slots.map((each) => each.entry());
  const line = (name, a, b, shown, apart) => {
    const { count, low, high } = differenceOf(a, b);
    const difference = data.independent ? [apart(count), say("span", { low: apart(low), high: apart(high) }), words[low <= 0 && high >= 0 ? "could_be_noise" : "real_difference"]] : [];
    return [name, shown(a.count), shown(b.count), ...difference];
  };
  const isOnly = new Set(data.layouts.map(({ ladder }) => ladder)).size === 1;
  // A total for each ladder that both groups have, and the shares that both have.
  const both = one.tables.flatMap((table) => other.tables.filter(({ ladder }) => ladder === table.ladder).map((match) => [table, match]));
  const rows = both.flatMap(([table, match]) => [
    line(isOnly ? words.total : say("total_of", { name: table.ladder }), uncutOf(table.rows[0]), uncutOf(match.rows[0]), whole, whole),
    ...sharesOf(table).flatMap((share) =>
      sharesOf(match).filter(({ name }) => name === share.name).map((found) => line(say("share_of", share), share, found, percent, points)),
    ),
  ]);
  const more = data.independent ? [words.difference, words.difference_interval, words.verdict] : [];
  return tableOf(words.comparison, ["", words.first, words.second, ...more], rows);
};

const comparing = (data, known, first) => {
  const [button, place, slots] = ["compare", "comparison", "slots"].map(byId);
  let second = null;
  const refresh = () => {
    if (!second?.entry() || !first.entry()) return;
    const names = [first, second].map((each, number) => made("li", `${[words.first, words.second][number]}: ${each.name()}`));
    byId("compared").replaceChildren(...names);
    byId("comparison-table").replaceChildren(comparison(data, [first, second]));
    const { region, group } = second.link();
    view.set({ second_region: region, second_group: group });
  };
  const start = () => {
    slots.append(byId("second").content.cloneNode(true));
    const opened = slot(data, known, "-2", refresh);
    const { second_region: region, second_group: group } = view.get();
    if (region) opened.follow({ region, group });
    else opened.go(first.region(), (known(Number(first.region())).find(({ label }) => label !== first.entry().label) ?? first.entry()).label);
    second = opened;
    for (const scroll of byId("slot-2").querySelectorAll(".scroll:has(+ .sideways)")) scrolled.observe(scroll);
  };
  const toggle = () => {
    const isOn = slots.classList.toggle("two");
    if (isOn) start();
    else {
      view.set({ second_region: "", second_group: "" });
      byId("slot-2").remove();
      second = null;
    }
    place.hidden = !isOn;
    button.setAttribute("aria-expanded", String(isOn));
    button.textContent = isOn ? words.one_alone : words.compare;
    refresh();
  };
  button.addEventListener("click", () => {
    toggle();
    byId("region-2")?.focus();
  });
  if (view.get().second_region) toggle(); // as the link says
  return refresh;
};

// --- one group on a sheet of paper ---

// Prints one slot, with its counts, and hides the rest of the page meanwhile.
const printGroup = (printed) => {
  const closed = [...printed.querySelectorAll("details:not([open])")];
  for (const each of closed) each.open = true;
  root.dataset.print = "group";
  printed.classList.add("printed");
  const done = () => {
    for (const each of closed) each.open = false;
    delete root.dataset.print;
    printed.classList.remove("printed");
  };
  window.addEventListener("afterprint", done, { once: true });
  window.print();
};

const groups = async () => {
  const data = await unsqueezed(read("data-groups"));
  const seen = new Map();
  const known = (number) => {
    if (!seen.has(number)) seen.set(number, entriesOf(data, number));
    return seen.get(number);
  };
  // Calls `then` when the groups of a region are here: of a large release, those of all but the first lie beside the page.
  known.has = (number) => number < data.notes.length;
  known.when = async (number, then) => {
    if (!known.has(number)) {
      try {
        known.more ??= piece(data.folder, "groups");
        await known.more;
      } catch (error) {
        byId("group-hint").textContent = error.message;
        return;
      }
      const { tables, notes } = await known.more;
      if (!known.has(number)) {
        for (const [name, regions] of Object.entries(tables)) data.tables[name].push(...regions);
        data.notes.push(...notes);
      }
    }
    then();
  };
  const waiting = []; // what is drawn anew when the first group is another
  const first = slot(data, known, "", () => waiting.forEach((redraw) => redraw()));
  first.follow(view.get());
  waiting.push(() => view.set(first.link()));
  waiting.push(comparing(data, known, first));
  if (!byId("data-maps")) return;
  const redraw = mapping(data, await unsqueezed(read("data-maps")), known, first.entry);
  waiting.push(() => known.has(data.regions.length - 1) && redraw());
  const near = new IntersectionObserver((changes) => {
    if (!changes.some(({ isIntersecting }) => isIntersecting)) return;
    near.disconnect();
    known.when(data.regions.length - 1, redraw);
  }, { rootMargin: "400px" });
  if (known.has(data.regions.length - 1)) redraw();
  else near.observe(byId("map"));
};

if (byId("data-groups")) {
  groups().catch((error) => {
    byId("group-hint").textContent = words.too_old;
    byId("tables").dataset.drawn = "no";
    console.error(error);
  });
}
