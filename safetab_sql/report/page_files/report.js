// Draws the charts of the page, and the age pyramid of the population group that is picked. Texts from code lists and
// tables are only ever set as text.
"use strict";
{
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);
  const whole = (number) => number.toLocaleString("en-US");
  const tooltip = { disableDefaultStyle: true };
  const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip };

  // The figure as wide as its place, with as many columns of the legend as there is room for.
  const fitted = (figure, width) => {
    const columns = Math.max(1, Math.min(5, Math.floor((width - 60) / 125)));
    const config = { ...figure.config, legend: { ...figure.config.legend, columns } };
    return { ...figure, config, ...(figure.hconcat ? {} : { width, autosize: { type: "fit-x", contains: "padding" } }) };
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
  const showTheme = () => button.setAttribute("aria-pressed", String(isDark()));
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

  // --- age pyramids ---

  const unsqueezed = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const pyramids = async () => {
    const data = await unsqueezed(read("data-groups"));
    const template = read("data-pyramid");
    const [region, group, choices, hint] = ["region", "group", "groups", "group-hint"].map(byId);
    const [place, table] = ["pyramid", "pyramid-table"].map(byId);
    const label = (iteration) => {
      const [code, name] = data.iterations[iteration];
      return name ? `${name} · ${code}` : code;
    };
    let entries = []; // of the region that is picked
    let picked = null;

    const entriesOf = (number) => {
      const { i, n, k, c } = data.groups[number];
      let cells = 0;
      const found = i.map((iteration, place) => {
        const [cellMoe, totalMoe, layout] = data.kinds[k[place]];
        const ages = layout === null ? null : data.layouts[layout];
        const size = ages ? 2 * ages[0].length : 0;
        cells += size;
        return { label: label(iteration), total: n[place], cellMoe, totalMoe, ages, counts: c.slice(cells - size, cells) };
      });
      return found.sort((a, b) => Boolean(b.ages) - Boolean(a.ages) || a.label.localeCompare(b.label, "en"));
    };

    const rowsOf = ({ ages, counts, cellMoe }) => {
      const [starts, ends] = ages;
      return counts.map((count, place) => {
        const bin = place % starts.length;
        const [start, end] = [starts[bin], ends[bin]];
        const top = start < data.oldest ? Math.min(end + 1, data.oldest) : end + 1;
        const years = top - start;
        const age = end === start ? `${start}` : end > data.oldest ? `${start}+` : `${start}–${end}`;
        const sex = place < starts.length ? "male" : "female";
        const [rate, low, high] = [count, count - cellMoe, count + cellMoe].map((value) => value / years);
        return { sex, age, start, top, middle: (start + top) / 2, rate, low, high, count, moe95: cellMoe };
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

    const fillTable = (rows) => {
      table.caption.textContent = `People by age and sex: ${byId("picked-name").textContent}`;
      const half = rows.length / 2;
      const lines = rows.slice(0, half).map((male, bin) => {
        const line = document.createElement("tr");
        [male.age, whole(male.count), whole(rows[half + bin].count), `±${whole(male.moe95)}`].forEach((text, column) => {
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

    let last = Promise.resolve();
    const show = (entry) => {
      picked = entry;
      const where = region.options[region.selectedIndex].text;
      byId("picked-name").textContent = `${entry.label}, ${where}`;
      const total = `Total ${whole(entry.total)} ± ${whole(entry.totalMoe)}`;
      const detail = entry.ages
        ? `sex by ${entry.ages[0].length} age groups, each count ± ${whole(entry.cellMoe)}`
        : "published as a total alone, so there is no pyramid";
      byId("picked-total").textContent = `${total} · ${detail}`;
      byId("pyramid-figure").hidden = !entry.ages;
      hint.textContent = "";
      delete place.dataset.drawn;
      if (!entry.ages) return;
      const rows = rowsOf(entry);
      fillTable(rows);
      place.setAttribute("aria-label", `Age pyramid: ${byId("picked-name").textContent}. ${template.description}`);
      last = last.then(() => (picked === entry ? draw(place, pyramidOf(rows)) : null));
    };

    const found = (text) => {
      const wanted = text.trim().toLowerCase();
      const labels = entries.map((entry) => [entry, entry.label.toLowerCase()]);
      const [entry] =
        labels.find(([, name]) => name === wanted) ??
        labels.find(([, name]) => name.split(" · ").includes(wanted)) ??
        labels.find(([, name]) => wanted && name.startsWith(wanted)) ??
        labels.find(([, name]) => wanted && name.includes(wanted)) ??
        [];
      return entry;
    };

    const pick = () => {
      const entry = found(group.value);
      if (entry) {
        group.value = entry.label;
        if (entry !== picked) show(entry);
      } else {
        hint.textContent = `No published group of ${region.options[region.selectedIndex].text} is called “${group.value}”.`;
      }
    };

    const enter = () => {
      const before = picked && picked.label;
      entries = entriesOf(Number(region.value));
      choices.replaceChildren(
        ...entries.map((entry) => {
          const option = document.createElement("option");
          option.value = entry.label;
          option.label = entry.ages ? `${entry.label} – sex by ${entry.ages[0].length} ages` : `${entry.label} – total`;
          return option;
        }),
      );
      const largest = entries.reduce((best, entry) =>
        Boolean(entry.ages) - Boolean(best.ages) > 0 || (Boolean(entry.ages) === Boolean(best.ages) && entry.total > best.total)
          ? entry
          : best,
      );
      const entry = entries.find((other) => other.label === before) ?? largest;
      group.value = entry.label;
      show(entry);
    };

    data.regions.forEach(([, , name], number) => region.add(new Option(name, number)));
    region.value = data.first;
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
    pyramids().catch((error) => {
      byId("group-hint").textContent = "This browser is too old to read the population groups.";
      byId("pyramid").dataset.drawn = "no";
      console.error(error);
    });
  }
}
