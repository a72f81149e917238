// Draws the charts of the page, and the age pyramid or the bars of the population group that is picked. Texts from code lists and
// tables are only ever set as text.
"use strict";
{
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);
  const whole = (number) => number.toLocaleString("en-US", { maximumFractionDigits: 1 });
  const tooltip = { disableDefaultStyle: true };
  const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip };

  // --- charts that fit: labels, titles and legends in as many lines, and axes with as many ticks, as there is room ---

  const pen = document.createElement("canvas").getContext("2d");
  const widthOf = (text, size) => {
    pen.font = `${size}px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif`;
    return pen.measureText(text).width;
  };

  const lines = (text, room, size) => {
    const found = [];
    for (const word of text.split(" ")) {
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
    return { lines: most, width, label: most > 1 ? { labelLimit: 0, labelExpr } : {} };
  };

  const fitRows = (channel, figure, room) => {
    const names = broken(textsOf(channel, figure), room);
    channel.axis = { ...channel.axis, ...names.label };
    return names;
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

  // Nothing is fitted in a figure of panels: they have widths of their own.
  const fitted = (original, width) => {
    if (original.hconcat) return original;
    const figure = structuredClone(original);
    const encodings = [figure, ...(figure.layer ?? [])].map((part) => part.encoding ?? {});
    let names = { lines: 1, width: 40 };
    for (const { y } of encodings) {
      if (y?.type === "nominal") names = fitRows(y, figure, 0.36 * width);
      else if (y?.title || y?.axis?.title) fitTitle(y, figure.height);
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
    try {
      // An element of its own: Vega describes the one it draws in, and the page has described the place already.
      const inside = place.appendChild(document.createElement("div"));
      await vegaEmbed(inside, fitted(figure, place.clientWidth), options);
      place.replaceChildren(inside);
      place.dataset.drawn = "yes";
    } catch (error) {
      place.textContent = "This chart could not be drawn. Its data is in the table below.";
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

  // --- light and dark ---

  const root = document.documentElement;
  const button = byId("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const showTheme = () => {
    button.textContent = isDark() ? "Light colours" : "Dark colours"; // what pressing it brings
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

  // --- population groups, one by one: an age pyramid, or bars ---

  const unsqueezed = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const groups = async () => {
    const data = await unsqueezed(read("data-groups"));
    const template = read("data-template");
    const [region, group, choices, hint] = ["region", "group", "groups", "group-hint"].map(byId);
    const [place, table, matches] = [data.tables ? "bars" : "pyramid", "pyramid-table", "matches"].map(byId);
    const barStep = 20; // pixels
    const offered = 12; // of the groups that a text may mean
    const label = (iteration) => {
      const [code, name] = data.iterations[iteration];
      return name ? `${name} · ${code}` : code;
    };
    let entries = []; // of the region that is picked
    let picked = null;

    // The groups of a region, the largest first.
    const entriesOf = (number) => {
      const { i, n, k, c, m } = data.groups[number];
      let [cells, margins] = [0, 0];
      const found = i.map((iteration, place) => {
        const [cellMoe, totalMoe, layout] = data.kinds[k[place]];
        const ages = layout === null ? null : data.layouts[layout];
        const size = ages ? 2 * ages[0].length : 0;
        const own = cellMoe === null ? size : 0;
        cells += size;
        margins += own;
        const moes = own ? m.slice(margins - own, margins) : Array(size).fill(cellMoe);
        const [code, name] = data.iterations[iteration];
        const what = ages ? `sex by ${ages[0].length} ages` : "total";
        return { label: label(iteration), code, name, total: n[place], totalMoe, ages, counts: c.slice(cells - size, cells), moes, size, what };
      });
      return found.sort((a, b) => b.total - a.total || a.label.localeCompare(b.label, "en"));
    };

    // The groups of a region with their tables of each ladder, the largest first.
    const tabulatedOf = (number) => {
      const found = new Map();
      for (const [iteration, layout, counts, spans] of data.tables[number]) {
        const [code, name] = data.iterations[iteration];
        const entry = found.get(iteration) ?? { label: label(iteration), code, name, total: counts[0], size: 0, counts: [], tables: [], what: "total" };
        const { panels } = data.layouts[layout];
        const rows = counts.map((count, place) => {
          const [below, above] = data.spans[spans[place]];
          return { count, low: count - below, high: count + above };
        });
        entry.tables.push({ ...data.layouts[layout], rows });
        entry.counts.push(...counts);
        entry.size += panels.length ? counts.length : 0;
        if (panels.length) entry.what = entry.tables.filter((table) => table.panels.length).map((table) => table.name).join(", ");
        found.set(iteration, entry);
      }
      return [...found.values()].sort((a, b) => b.total - a.total || a.label.localeCompare(b.label, "en"));
    };

    const made = (tag, text, properties = {}) => Object.assign(document.createElement(tag), { textContent: text, ...properties });
    const interval = ({ count, low, high }) => `${whole(count)}, from ${whole(low)} to ${whole(high)}`;

    const barsOf = (panel, rows) => {
      const figure = structuredClone(template);
      figure.data.values = panel.labels.map((text, number) => ({ label: text, ...rows[panel.places[number]] }));
      figure.height = panel.labels.length * barStep;
      for (const { encoding } of figure.layer) encoding.tooltip[0].title = panel.axis;
      return figure;
    };

    const countsOf = (panel, rows) => {
      const table = document.createElement("table");
      const head = table.createTHead().insertRow();
      for (const [column, text] of [panel.axis, "Count", "from", "to"].entries()) {
        head.append(made("th", text, { scope: "col", className: column ? "number" : "" }));
      }
      const body = table.createTBody();
      panel.labels.forEach((text, number) => {
        const { count, low, high } = rows[panel.places[number]];
        const line = body.insertRow();
        line.append(made("th", text, { scope: "row" }), ...[count, low, high].map((value) => made("td", whole(value), { className: "number" })));
      });
      const [details, scroll] = [document.createElement("details"), made("div", "", { className: "scroll", tabIndex: 0 })];
      scroll.append(table);
      details.append(made("summary", "The counts of these bars"), scroll);
      return details;
    };

    // One part for each table that the group got: its total, then bars for each of its breakdowns.
    const showBars = (entry) => {
      const waiting = [];
      const parts = entry.tables.map(({ name, panels, rows }) => {
        const part = document.createElement("div");
        part.append(made("h4", name), made("p", `Total ${interval(rows[0])}${panels.length ? "" : " · published as a total alone"}`));
        for (const panel of panels) {
          const [holder, drawing] = [document.createElement("figure"), made("div", "", { className: "drawing" })];
          drawing.setAttribute("role", "img");
          drawing.setAttribute("aria-label", `${panel.title}: ${byId("picked-name").textContent}. ${template.description}`);
          const head = panels.length > 1 ? `${panel.title}: ${panel.axis}` : panel.axis;
          holder.append(made("h5", head), drawing, countsOf(panel, rows));
          part.append(holder);
          waiting.push([drawing, barsOf(panel, rows)]);
        }
        return part;
      });
      place.replaceChildren(...parts);
      for (const [drawing, figure] of waiting) draw(drawing, figure);
    };

    const rowsOf = ({ ages, counts, moes }) => {
      const [starts, ends] = ages;
      return counts.map((count, place) => {
        const bin = place % starts.length;
        const [start, end] = [starts[bin], ends[bin]];
        const top = start < data.oldest ? Math.min(end + 1, data.oldest) : end + 1;
        const years = top - start;
        const age = end === start ? `${start}` : end > data.oldest ? `${start}+` : `${start}–${end}`;
        const sex = place < starts.length ? "male" : "female";
        const moe95 = moes[place];
        const [rate, low, high] = [count, count - moe95, count + moe95].map((value) => value / years);
        return { sex, age, start, top, middle: (start + top) / 2, rate, low, high, count, moe95 };
      });
    };

    const pyramidOf = (rows) => {
      const figure = structuredClone(template);
      const ends = rows.flatMap((row) => [row.low, row.high]);
      const domain = [Math.min(0, ...ends), 1.02 * Math.max(1, ...ends)];
      figure.data.values = rows;
      for (const panel of figure.hconcat) {
        panel.width = Math.max(90, Math.floor((place.clientWidth - 96) / 2));
        for (const { encoding } of panel.layer) {
          encoding.x.scale.domain = domain;
          if (encoding.x.axis) encoding.x.axis.tickCount = panel.width < 200 ? 2 : 5;
        }
      }
      return figure;
    };

    const span = (numbers) => {
      const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map(whole);
      return least === most ? least : `${least} to ${most}`;
    };

    const fillTable = (rows) => {
      table.caption.firstElementChild.textContent = `By age and sex: ${byId("picked-name").textContent}`;
      const half = rows.length / 2;
      const lines = rows.slice(0, half).map((male, bin) => {
        const line = document.createElement("tr");
        const female = rows[half + bin];
        const margin = span([male.moe95, female.moe95]);
        [male.age, whole(male.count), whole(female.count), `±${margin}`].forEach((text, column) => {
          const cell = document.createElement(column ? "td" : "th");
          if (column) cell.className = "number";
          else cell.scope = "row";
          cell.textContent = text;
          line.append(cell);
        });
        return line;
      });
      table.tBodies[0].replaceChildren(...lines);
    };

    const where = () => region.options[region.selectedIndex].text;

    let last = Promise.resolve();
    const show = (entry) => {
      picked = entry;
      byId("picked-name").textContent = `${entry.label}, ${where()}`;
      byId("below-zero").hidden = Math.min(entry.total, ...entry.counts) >= 0;
      if (entry.tables) {
        showBars(entry);
        return;
      }
      const total = `Total ${whole(entry.total)} ± ${whole(entry.totalMoe)}`;
      const detail = entry.ages
        ? `sex by ${entry.ages[0].length} age groups, each count ± ${span(entry.moes)}`
        : "published as a total alone, so there is no pyramid";
      byId("picked-total").textContent = `${total} · ${detail}`;
      byId("pyramid-figure").hidden = !entry.ages;
      delete place.dataset.drawn;
      if (!entry.ages) return;
      const rows = rowsOf(entry);
      fillTable(rows);
      place.setAttribute("aria-label", `Age pyramid: ${byId("picked-name").textContent}. ${template.description}`);
      last = last.then(() => (picked === entry ? draw(place, pyramidOf(rows)) : null));
    };

    // The groups that a text may mean: that of this very name or code; else those whose names begin with it, then those
    // that have a word that does, then those that hold it anywhere; the largest first among equals.
    const found = (text) => {
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

    const offer = (several) => {
      matches.hidden = several.length < 2;
      matches.replaceChildren(
        ...several.slice(0, several.length < 2 ? 0 : offered).map((entry) => {
          const [line, choice] = ["li", "button"].map((name) => document.createElement(name));
          const parts = [entry.label, whole(entry.total)].map((text) => Object.assign(document.createElement("span"), { textContent: text }));
          choice.type = "button";
          choice.append(...parts);
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
      const several = found(text);
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

    const enter = () => {
      const before = picked && picked.label;
      entries = (data.tables ? tabulatedOf : entriesOf)(Number(region.value));
      choices.replaceChildren(
        ...entries.map((entry) => {
          const option = document.createElement("option");
          option.value = entry.label;
          option.label = `${entry.label} – ${entry.what}`;
          return option;
        }),
      );
      const largest = entries.reduce((best, entry) =>
        entry.size > 0 === best.size > 0 ? (entry.total > best.total ? entry : best) : entry.size > 0 ? entry : best,
      );
      hint.textContent = "";
      offer([]);
      show(entries.find((other) => other.label === before) ?? largest);
    };

    // One list, in parts by region type where there are several; typing the beginning of a name finds it.
    const types = [...new Set(data.regions.map(([type]) => type))];
    for (const type of types) {
      const part = types.length > 1 ? region.appendChild(Object.assign(document.createElement("optgroup"), { label: type })) : region;
      data.regions.forEach(([own, , name], number) => {
        if (own === type) part.append(new Option(name, number));
      });
    }
    region.addEventListener("change", enter);
    group.addEventListener("focus", () => group.select());
    group.addEventListener("change", pick);
    group.addEventListener("input", () => {
      if (entries.some((entry) => entry.label === group.value)) pick();
    });
    byId("picker").addEventListener("submit", (event) => {
      event.preventDefault();
      pick();
    });
    enter();
    onWidth(place, () => show(picked));
  };
  if (byId("data-groups")) {
    groups().catch((error) => {
      byId("group-hint").textContent = "This browser is too old to read the population groups.";
      (byId("pyramid") ?? byId("bars")).dataset.drawn = "no";
      console.error(error);
    });
  }
}
