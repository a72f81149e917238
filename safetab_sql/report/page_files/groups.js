// Population groups, one by one: an age pyramid, or bars; two of them side by side; one of them on a sheet of paper. Uses the
// functions of charts.js. Texts are only ever set as text.

const barStep = 20; // pixels
const offered = 12; // of the groups that a text may mean
const made = (tag, text, properties = {}) => Object.assign(document.createElement(tag), { textContent: text, ...properties });
const percent = (tenths) => (Number.isNaN(tenths) ? "–" : `${(tenths / 10).toFixed(1)} %`);
const points = (tenths) => (Number.isNaN(tenths) ? "–" : `${(tenths / 10).toFixed(1)} points`);
const added = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

const unsqueezed = async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};

// A table whose first column is words and whose others are numbers.
const tableOf = (caption, heads, rows) => {
  const table = document.createElement("table");
  if (caption) table.createCaption().append(made("span", caption));
  const head = table.createTHead().insertRow();
  heads.forEach((text, column) => head.append(made("th", text, { scope: "col", className: column ? "number" : "" })));
  const body = table.createTBody();
  for (const [name, ...values] of rows) {
    body.insertRow().append(made("th", name, { scope: "row" }), ...values.map((value) => made("td", value, { className: "number" })));
  }
  return table;
};

// --- what the page holds of a group ---

const labelOf = (data, iteration) => {
  const [code, name] = data.iterations[iteration];
  return name && name !== code ? `${name} · ${code}` : code;
};

const bySize = (a, b) => b.total.count - a.total.count || a.label.localeCompare(b.label, "en");

// The groups of a region with their age pyramids, the largest first.
const pyramidEntries = (data, number) => {
  const { i, n, k, c, m, s } = data.groups[number];
  let [cells, margins, shares] = [0, 0, 0];
  const found = i.map((iteration, place) => {
    const [cellMoe, below, above, layout] = data.kinds[k[place]];
    const ages = layout === null ? null : data.layouts[layout];
    const size = ages ? 2 * ages[0].length : 0;
    const own = cellMoe === null ? size : 0;
    const ends = ages ? 2 * data.parts.length : 0;
    cells += size;
    margins += own;
    shares += ends;
    const moes = own ? m.slice(margins - own, margins) : Array(size).fill(cellMoe);
    const [code, name] = data.iterations[iteration];
    const total = { count: n[place], low: n[place] - below, high: n[place] + above };
    const what = ages ? `sex by ${ages[0].length} ages` : "total";
    const counts = c.slice(cells - size, cells);
    return { label: labelOf(data, iteration), code, name, total, ages, counts, moes, size, what, ends: s.slice(shares - ends, shares) };
  });
  return found.sort(bySize);
};

// The groups of a region with their tables of each ladder, the largest first.
const barEntries = (data, number) => {
  const found = new Map();
  for (const [iteration, layout, counts, spans] of data.tables[number]) {
    const [code, name] = data.iterations[iteration];
    const { panels } = data.layouts[layout];
    const rows = counts.map((count, place) => {
      const [below, above] = data.spans[spans[place]];
      return { count, low: count - below, high: count + above };
    });
    const entry = found.get(iteration) ?? { label: labelOf(data, iteration), code, name, total: rows[0], size: 0, counts: [], tables: [], what: "total" };
    entry.tables.push({ ...data.layouts[layout], rows });
    entry.counts.push(...counts);
    entry.size += panels.length ? counts.length : 0;
    if (panels.length) entry.what = entry.tables.filter((table) => table.panels.length).map((table) => table.name).join(", ");
    found.set(iteration, entry);
  }
  return [...found.values()].sort(bySize);
};

// The share of each part of the people of a group, in tenths of a per cent, with the ends of its interval; none where a
// group has no table. NaN is no share: that of a group whose total is not above 0.
const sharesOf = (data, { ages, counts, ends }) => {
  if (!ages) return [];
  const [starts, lasts] = ages;
  const total = added(counts);
  return data.parts.flatMap(([name, sex, first, last], place) => {
    const [low, high] = ends.slice(2 * place, 2 * place + 2);
    const own = counts.filter((_, cell) => {
      const bin = cell % starts.length;
      const isOfSex = sex === null || (sex === "male") === cell < starts.length;
      return isOfSex && first <= starts[bin] && (last === null || lasts[bin] <= last);
    });
    const share = total > 0 ? (1000 * added(own)) / total : NaN;
    return [{ name, count: Math.min(high, Math.max(low, share)), low, high }];
  });
};

// One count less another, whose noise is independent: the ends of its interval lie as far away as those of both lie from
// their counts, squared and added (Zou and Donner 2008). Where one is no number, all that both intervals allow.
const differenceOf = (one, other) => {
  const count = one.count - other.count;
  if (Number.isNaN(count)) return { count, low: one.low - other.high, high: one.high - other.low };
  return {
    count,
    low: Math.floor(count - Math.hypot(one.count - one.low, other.high - other.count)),
    high: Math.ceil(count + Math.hypot(one.high - one.count, other.count - other.low)),
  };
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

const pyramidRows = (oldest, { ages, counts, moes }) => {
  const [starts, ends] = ages;
  return counts.map((count, place) => {
    const bin = place % starts.length;
    const [start, end] = [starts[bin], ends[bin]];
    const top = start < oldest ? Math.min(end + 1, oldest) : end + 1;
    const years = top - start;
    const age = end === start ? `${start}` : end > oldest ? `${start}+` : `${start}–${end}`;
    const sex = place < starts.length ? "male" : "female";
    const moe95 = moes[place];
    const [rate, low, high] = [count, count - moe95, count + moe95].map((value) => value / years);
    return { sex, age, start, top, middle: (start + top) / 2, rate, low, high, count, moe95 };
  });
};

const pyramidFigure = (template, rows, width) => {
  const figure = structuredClone(template);
  const ends = rows.flatMap((row) => [row.low, row.high]);
  const domain = [Math.min(0, ...ends), 1.02 * Math.max(1, ...ends)];
  figure.data.values = rows;
  for (const panel of figure.hconcat) {
    panel.width = Math.max(90, Math.floor((width - 96) / 2));
    for (const { encoding } of panel.layer) {
      encoding.x.scale.domain = domain;
      if (encoding.x.axis) encoding.x.axis.tickCount = panel.width < 200 ? 2 : 5;
    }
  }
  return figure;
};

const barFigure = (template, panel, rows) => {
  const figure = structuredClone(template);
  figure.data.values = panel.labels.map((text, number) => ({ label: text, ...rows[panel.places[number]] }));
  figure.height = panel.labels.length * barStep;
  for (const { encoding } of figure.layer) encoding.tooltip[0].title = panel.axis;
  return figure;
};

const span = (numbers) => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map(whole);
  return least === most ? least : `${least} to ${most}`;
};

const interval = ({ count, low, high }) => `${whole(count)}, 95 % interval ${whole(low)} to ${whole(high)}`;

const folded = (summary, table) => {
  const [details, scroll] = [document.createElement("details"), made("div", "", { className: "scroll", tabIndex: 0 })];
  scroll.append(table);
  details.append(made("summary", summary), scroll);
  return details;
};

// --- a place on the page where a reader picks a group and sees it ---

// entriesOf: gives the groups of a region. ending: of the ids of its elements. changed: called when another group is shown.
const slot = (data, template, entriesOf, ending, changed) => {
  const part = (name) => byId(`${name}${ending}`);
  const [region, group, choices, hint, matches] = ["region", "group", "groups", "group-hint", "matches"].map(part);
  const place = part(data.tables ? "bars" : "pyramid");
  let entries = []; // of the region that is picked
  let picked = null;
  let last = Promise.resolve();

  const where = () => region.options[region.selectedIndex].text;
  const name = () => `${picked.label}, ${where()}`;

  // One part for each table that the group got: its total, then bars for each of its breakdowns.
  const showBars = (entry) => {
    const waiting = [];
    const parts = entry.tables.map(({ name: table, panels, rows }) => {
      const shown = document.createElement("div");
      shown.append(made("h4", table), made("p", `Total ${interval(rows[0])}${panels.length ? "" : " · published as a total alone"}`));
      for (const panel of panels) {
        const [holder, drawing] = [document.createElement("figure"), made("div", "", { className: "drawing" })];
        drawing.setAttribute("role", "img");
        drawing.setAttribute("aria-label", `${panel.title}: ${name()}. ${template.description}`);
        const lines = panel.labels.map((text, number) => {
          const { count, low, high } = rows[panel.places[number]];
          return [text, ...[count, low, high].map(whole)];
        });
        const counts = folded("The counts of these bars", tableOf("", [panel.axis, "Count", "from", "to"], lines));
        holder.append(made("h5", panels.length > 1 ? `${panel.title}: ${panel.axis}` : panel.axis), drawing, counts);
        shown.append(holder);
        waiting.push([drawing, barFigure(template, panel, rows)]);
      }
      return shown;
    });
    place.replaceChildren(...parts);
    for (const [drawing, figure] of waiting) draw(drawing, figure);
  };

  const showPyramid = (entry) => {
    const detail = entry.ages
      ? `sex by ${entry.ages[0].length} age groups, each count ±\u00a0${span(entry.moes)}`
      : "published as a total alone, so there is no pyramid";
    part("picked-total").textContent = `Total ${interval(entry.total)} · ${detail}`;
    part("pyramid-figure").hidden = !entry.ages;
    const shares = sharesOf(data, entry).map(({ name: share, ...ends }) => [share, ...[ends.count, ends.low, ends.high].map(percent)]);
    part("shares").hidden = !shares.length;
    part("shares").replaceChildren(tableOf(`Shares of its ${data.many}, with 95 % intervals`, ["Share", "of the total", "from", "to"], shares));
    delete place.dataset.drawn;
    if (!entry.ages) return;
    const rows = pyramidRows(data.oldest, entry);
    const half = rows.length / 2;
    const lines = rows.slice(0, half).map((male, bin) => {
      const female = rows[half + bin];
      return [male.age, whole(male.count), whole(female.count), `±${span([male.moe95, female.moe95])}`];
    });
    const counts = tableOf(`By age and sex: ${name()}`, ["Age", "Male", "Female", "MOE95 of each"], lines);
    part("pyramid-table").replaceChildren(counts);
    place.setAttribute("aria-label", `Age pyramid: ${name()}. ${template.description}`);
    last = last.then(() => (picked === entry ? draw(place, pyramidFigure(template, rows, place.clientWidth)) : null));
  };

  const show = (entry) => {
    picked = entry;
    part("picked-name").textContent = name();
    part("below-zero").hidden = Math.min(entry.total.count, ...entry.counts) >= 0;
    if (entry.tables) showBars(entry);
    else showPyramid(entry);
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

  const pick = () => {
    const text = group.value.trim();
    if (!text) return;
    const several = meant(entries, text);
    if (!several.length) hint.textContent = `No published group of ${where()} is called “${text}”.`;
    else if (several.length === 1) hint.textContent = "";
    else {
      const more = several.length > offered ? ` These are ${offered} of them: type more of the name to see others.` : "";
      hint.textContent = `“${text}” is in the names of ${whole(several.length)} groups of ${where()}.${more}`;
    }
    if (several.length && several[0] !== picked) show(several[0]);
    offer(several);
    if (several.length === 1) group.value = ""; // the name stands below, whole; this field may be too narrow for it
  };

  // The groups of the region that is picked; the same group as before is shown, or else the largest with a table.
  const enter = (label = picked?.label) => {
    entries = entriesOf(Number(region.value));
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
  region.addEventListener("change", () => enter());
  group.addEventListener("focus", () => group.select());
  group.addEventListener("change", pick);
  group.addEventListener("input", () => {
    if (entries.some((entry) => entry.label === group.value)) pick();
  });
  part("picker").addEventListener("submit", (event) => {
    event.preventDefault();
    pick();
  });
  part("print").addEventListener("click", () => printGroup(part("slot")));
  onWidth(place, () => show(picked));
  return {
    name,
    entry: () => picked,
    region: () => region.value,
    go: (number, label) => {
      region.value = number;
      enter(label);
    },
  };
};

// --- two groups side by side ---

const comparison = (data, slots) => {
  const [one, other] = slots.map((each) => each.entry());
  const [ownShares, otherShares] = [one, other].map((entry) => (data.tables ? [] : sharesOf(data, entry)));
  const line = (name, a, b, shown, apart) => {
    const { count, low, high } = differenceOf(a, b);
    const difference = data.independent ? [apart(count), `${apart(low)} to ${apart(high)}`, low <= 0 && high >= 0 ? "yes" : "no"] : [];
    return [name, shown(a.count), shown(b.count), ...difference];
  };
  // Of tables of one's own, a total for each ladder that both groups have.
  const both = data.tables ? one.tables.flatMap((table) => other.tables.filter(({ ladder }) => ladder === table.ladder).map((match) => [table, match])) : [];
  const rows = data.tables
    ? both.map(([table, match]) => line(`Total of ${table.ladder}`, table.rows[0], match.rows[0], whole, whole))
    : [line("Total", one.total, other.total, whole, whole)];
  for (const share of ownShares) {
    const match = otherShares.find(({ name }) => name === share.name);
    if (match) rows.push(line(`Share ${share.name}`, share, match, percent, points));
  }
  const more = data.independent ? ["Difference", "its 95 % interval, about", "perhaps noise alone"] : [];
  return tableOf("The first group beside the second", ["", "First", "Second", ...more], rows);
};

const comparing = (data, template, entriesOf, first) => {
  const [button, place, slots] = ["compare", "comparison", "slots"].map(byId);
  let second = null;
  const refresh = () => {
    if (!second) return;
    const names = [first, second].map((each, number) => made("li", `${["First", "Second"][number]}: ${each.name()}`));
    byId("compared").replaceChildren(...names);
    byId("comparison-table").replaceChildren(comparison(data, [first, second]));
  };
  const start = () => {
    slots.append(byId("second").content.cloneNode(true));
    const opened = slot(data, template, entriesOf, "-2", refresh);
    opened.go(first.region(), first.entry().label);
    second = opened;
    for (const scroll of byId("slot-2").querySelectorAll(".scroll:has(+ .sideways)")) scrolled.observe(scroll);
    byId("region-2").focus();
  };
  button.addEventListener("click", () => {
    const isOn = slots.classList.toggle("two");
    if (isOn) start();
    else {
      byId("slot-2").remove();
      second = null;
    }
    place.hidden = !isOn;
    button.setAttribute("aria-expanded", String(isOn));
    button.textContent = isOn ? "Show one group alone" : "Compare with another group or region";
    refresh();
  });
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
  const template = read("data-template");
  const known = new Map();
  const entriesOf = (number) => {
    if (!known.has(number)) known.set(number, (data.tables ? barEntries : pyramidEntries)(data, number));
    return known.get(number);
  };
  const waiting = []; // what is drawn anew when the first group is another
  const first = slot(data, template, entriesOf, "", () => waiting.forEach((redraw) => redraw()));
  first.go(0);
  waiting.push(comparing(data, template, entriesOf, first));
  if (!byId("data-maps")) return;
  waiting.push(mapping(data, await unsqueezed(read("data-maps")), entriesOf, first.entry));
  waiting.at(-1)();
};

if (byId("data-groups")) {
  groups().catch((error) => {
    byId("group-hint").textContent = "This browser is too old to read the population groups.";
    (byId("pyramid") ?? byId("bars")).dataset.drawn = "no";
    console.error(error);
  });
}
