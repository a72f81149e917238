// A map of one population group: its count, or a share of its people, by region. Uses the functions of charts.js and groups.js.
// Texts are only ever set as text.

const shades = [0.12, 0.32, 0.52, 0.74, 1]; // how strong the colour is, from the smallest values to the largest
const drawnIn = "http://www.w3.org/2000/svg";
const element = (name, attributes) => {
  const found = document.createElementNS(drawnIn, name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
};

// Values in as many classes as there are shades, each with about as many regions.
const classed = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const limits = [...new Set(shades.slice(1).map((_, place) => sorted[Math.floor(((place + 1) * sorted.length) / shades.length)]))];
  const of = (value) => limits.filter((limit) => value >= limit && limit > sorted[0]).length;
  const classes = [...new Set(sorted.map(of))];
  const ends = classes.map((each) => sorted.filter((value) => of(value) === each)).map((own) => [own[0], own.at(-1)]);
  const shade = (value) => shades[Math.round((classes.indexOf(of(value)) * (shades.length - 1)) / Math.max(1, classes.length - 1))];
  return { shade, ends };
};

const hatching = () => {
  const pattern = element("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  pattern.append(element("path", { d: "M0,0V8", stroke: "var(--soft-ink)", "stroke-width": 2.5 }));
  return pattern;
};

// A square of a colour, with its meaning.
const keyed = (fill, opacity, text) => {
  const [line, square] = [made("li", ""), element("svg", { width: 18, height: 14, "aria-hidden": "true" })];
  square.append(element("rect", { width: 18, height: 14, fill, "fill-opacity": opacity, stroke: "var(--soft-ink)" }));
  line.append(square, made("span", text));
  return line;
};

// group: gives what the reader picked. Returns a function that draws the map anew.
const mapping = (data, maps, known, group) => {
  const [type, measure, place, legend] = ["map-type", "map-measure", "map-drawing", "map-legend"].map(byId);
  maps.forEach(({ type: text }, number) => type.append(new Option(text, number)));
  measure.append(new Option(say("map_count", data), ""));
  for (const name of new Set(data.layouts.flatMap(({ parts }) => parts.map(([part]) => part)))) measure.append(new Option(say("map_share", { name }), name));

  // Of each region on the map its name and, where the group has a published count there, what is measured.
  const measured = (map, label) =>
    data.regions.flatMap(([own, id, name], number) => {
      if (own !== map.type) return [];
      const entry = known(number).find((each) => each.label === label);
      const value = entry && (measure.value ? entry.tables.flatMap(sharesOf).find((share) => share.name === measure.value) : entry.total);
      return [{ id, name, value }];
    });

  const redraw = () => {
    const map = maps[Number(type.value)];
    const { label } = group();
    const regions = new Map(measured(map, label).map((region) => [region.id, region]));
    const shown = measure.value ? percent : whole;
    const values = [...regions.values()].filter(({ value }) => value);
    const { shade, ends } = classed(values.map(({ value }) => value.count));
    const svg = element("svg", { viewBox: `-2 -2 ${map.width + 4} ${map.height + 4}` });
    svg.append(hatching());
    for (const [id, outline] of Object.entries(map.outlines)) {
      const { name, value } = regions.get(id) ?? { name: map.names[id] };
      const fill = value ? { fill: "var(--series-1)", "fill-opacity": shade(value.count) } : { fill: "url(#hatch)" };
      const path = element("path", { d: outline, "fill-rule": "evenodd", ...fill });
      const title = element("title", {});
      const numbers = value && { count: shown(value.count), low: shown(value.low), high: shown(value.high) };
      const region = value ? say("map_value", { name, ...numbers }) : say("map_nothing", { name });
      title.textContent = region;
      for (const kind of ["pointerenter", "click"]) path.addEventListener(kind, () => (byId("map-said").textContent = region)); // a tap, too
      path.append(title);
      svg.append(path);
    }
    place.replaceChildren(svg);
    byId("map-said").textContent = "";
    const said = { type: map.type, group: label, what: measure.selectedOptions[0].text };
    place.setAttribute("aria-label", say("map_label", said));
    place.dataset.drawn = "yes";
    byId("map-name").textContent = say("map_name", said);
    const classes = ends.map(([least, most]) => keyed("var(--series-1)", shade(least), least === most ? shown(least) : say("span", { low: shown(least), high: shown(most) })));
    legend.replaceChildren(...classes, keyed("url(#hatch)", 1, measure.value ? words.map_uncertain : words.map_absent));
    const rows = values.sort((a, b) => b.value.count - a.value.count).map(({ name, value }) => [name, ...[value.count, value.low, value.high].map(shown)]);
    byId("map-table").replaceChildren(tableOf("", [map.type, measure.selectedOptions[0].text, words.from, words.to], rows));
  };
  for (const [choice, name] of [[type, "map"], [measure, "of_map"]]) {
    const wanted = view.get()[name];
    if ([...choice.options].some(({ value }) => value === wanted)) choice.value = wanted;
    choice.addEventListener("change", () => {
      view.set({ [name]: choice.value });
      redraw();
    });
  }
  return redraw;
};
