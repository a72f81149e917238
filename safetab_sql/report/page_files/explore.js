// One population group in one region: how many people, which other groups live there, their ages, where else the group lives.
// Uses the functions of all other files. Texts are only ever set as text.

const mostBars = 12; // groups beside one another, before a reader asks for more
const mostCells = 24; // as bars
const [mostRanked, mostRankedApart] = [400, 100]; // regions that are ranked at once, and if their counts lie beside the page
const littlePart = 0.02; // of the people: less of them is a line, and no panel

const isKnown = ({ low, high }) => Number.isFinite(low) || Number.isFinite(high);

// --- what is known of a group: an answer { estimate, low, high, p } ---

// Of a ladder whose noise the page knows, as the calculator finds it; else as it was published, if it was published as such.
const answerOf = async (own, kind, counts, more = {}) => (await answersTo(own, [{ kind, counts, ...more }], more.miss))[0];
const publishedEnds = ({ counts, ends }, place) => ({ estimate: counts[place], low: ends[2 * place], high: ends[2 * place + 1], p: NaN });

// The groups of a region, the largest first: { code, name, detail, kind, group, size }.
const groupsOf = async (own, { ladder, type, region }) => {
  const [found, { isExact }] = [(await own.loaded({ release: 0, ladder, type, regions: [region] }))(region), own.data.releases[0].ladders[ladder]];
  return [...(found?.groups ?? [])]
    .map(([place, group]) => ({ ...own.groups[place], group, size: found.totals[place]?.[0] ?? (isExact ? added(group.counts) : group.counts[0]) }))
    .sort((a, b) => b.size - a.size || a.code.localeCompare(b.code));
};

// --- the table of a group ---

// The attributes of a table, each with its groups.
const dimensionsOf = (ladder, level) =>
  (ladder.statistics[level - 1] ?? []).map(([place, grouping]) => ({ attribute: ladder.attributes[place], groups: ladder.attributes[place].classes[grouping] }));

// What to say of a quantile that lies in a class of ten numbers or more, in which its place is a guess; nothing elsewhere.
const wideClass = (ladder, level, name, estimate) => {
  const found = dimensionsOf(ladder, level).find(({ attribute }) => attribute.name === name).groups.find(({ first, last }) => first <= estimate && estimate < last + 1 && last - first >= 9);
  return found && say("wide", { label: found.label, estimate: fixed(estimate, 0) });
};

// The ranges of an attribute of numbers of which shares are shown: of the coarsest table that has them, if the cells of this table
// tile them, so that they add up, and else of this table.
const rangesOf = ({ attribute, groups }) => {
  const [own, ranges] = [groups, Object.values(attribute.classes)[0]].map((each) => each.filter(({ first }) => first !== undefined));
  return ranges.every(({ first }) => own.some((each) => each.first === first)) ? ranges : own;
};

// --- drawings ---

// Rows of bars with their intervals, each a button if it can be picked: rows { label, answer, text, isPicked, pick }.
const barList = (rows, label) => {
  const ends = rows.flatMap(({ answer }) => [answer.low, answer.high, answer.estimate, 0]).filter(Number.isFinite);
  const [least, most] = [Math.min(...ends), Math.max(...ends, 1e-9)];
  const at = (value) => (1000 * (Math.min(most, Math.max(least, value)) - least)) / (most - least);
  const lineOf = ({ label: name, answer, text, isPicked, pick }) => {
    const svg = element("svg", { viewBox: "0 0 1000 14", preserveAspectRatio: "none", "aria-hidden": "true" });
    const [zero, end] = [at(0), at(answer.estimate)];
    if (Number.isFinite(answer.estimate)) svg.append(element("rect", { x: Math.min(zero, end), y: 2, width: Math.abs(end - zero), height: 10, class: "bar" }));
    if (isKnown(answer)) svg.append(element("path", { d: `M${at(answer.low)},7H${at(Number.isFinite(answer.high) ? answer.high : most)}`, class: "reach" }));
    const row = pick ? pressed("", pick) : made("div", "");
    row.append(made("span", name), made("span", text), svg);
    if (isPicked) row.ariaCurrent = "true";
    return made("li", "", {}, row);
  };
  return made("ol", "", { className: "bars", ariaLabel: label }, ...rows.map(lineOf));
};

// One panel of bars by ranges: as long as there are people for each unit of the number, so that areas are people.
const panelInto = (svg, rows, { left, width, top, height, most, isLeft, color, tell }) => {
  const [first, end] = [rows[0].first, rows.at(-1).top];
  const y = (value) => top + height - ((value - first) / (end - first)) * height;
  const x = (rate) => (isLeft ? left + width - (rate / most) * width : left + (rate / most) * width);
  for (const { top: over, first: start, answer, label } of rows) {
    const [rate, low, high] = [answer.estimate, answer.low, answer.high].map((count) => Math.max(0, count) / (over - start));
    const middle = (y(start) + y(over)) / 2;
    const said = say("row", { label, count: whole(answer.estimate), low: whole(answer.low), high: whole(answer.high) });
    const bar = element("rect", { x: Math.min(x(0), x(rate)), y: y(over) + 0.5, width: Math.abs(x(rate) - x(0)), height: Math.max(1, y(start) - y(over) - 1), fill: color, "fill-opacity": 0.8 }, element("title", {}, said));
    const reach = element("path", { d: `M${x(low)},${middle}H${x(high)}`, stroke: "var(--ink)", "stroke-width": 2 });
    for (const kind of ["pointerenter", "click"]) bar.addEventListener(kind, () => tell(said));
    svg.append(bar, reach);
  }
  svg.append(element("path", { d: `M${x(0)},${top}V${top + height}`, stroke: "var(--ink)" }));
  return { x, y };
};

// Panels { label, rows } by ranges, rows { label, first, top, answer }: two face each other, more stand beside one another.
const rangesPicture = (panels, per, width, tell) => {
  const [height, room, gap, top] = [380, 44, 16, 26];
  const isPyramid = panels.length === 2;
  const columns = isPyramid ? 2 : Math.min(panels.length, width < 480 ? 1 : panels.length === 3 ? 3 : 2);
  const own = isPyramid ? (width - room - 8) / 2 : (width - columns * (room + gap)) / columns;
  const all = (isPyramid ? 1 : Math.ceil(panels.length / columns)) * (height + 66);
  const svg = element("svg", { viewBox: `0 0 ${width} ${all}`, width, height: all, "font-family": "system-ui, sans-serif", "font-size": 12 });
  const text = textInto(svg);
  const most = 1.02 * Math.max(...panels.flatMap(({ rows }) => rows.map(({ answer, first, top: over }) => Math.max(answer.estimate, answer.high, 1) / (over - first))));
  panels.forEach(({ label, rows }, number) => {
    const isLeft = isPyramid && number === 0;
    const column = number % columns;
    const left = isPyramid ? room + number * own : column * (own + room + gap) + room;
    const start = top + (isPyramid ? 0 : Math.floor(number / columns) * (height + 66));
    const { x, y } = panelInto(svg, rows, { left, width: own, top: start, height, most, isLeft, color: `var(--series-${(number % 6) + 1})`, tell });
    text(isLeft ? left + own - 6 : left + 6, start - 9, label, { "text-anchor": isLeft ? "end" : "start", "font-weight": 600, "font-size": 13 });
    let before = Infinity;
    for (const { label: range, first, top: over } of isPyramid && number ? [] : rows) {
      const middle = (y(first) + y(over)) / 2;
      if (before - middle < 12) continue;
      text(left - 6, middle + 4, range, { "text-anchor": "end" });
      before = middle;
    }
    for (const mark of ticksOf(0, most, own < 150 ? 2 : 3)) {
      if (isLeft && !mark) continue;
      svg.append(element("path", { d: `M${x(mark)},${start + height}v5`, stroke: "var(--soft-ink)" }));
      text(x(mark), start + height + 18, whole(mark), { "text-anchor": "middle", fill: "var(--soft-ink)" });
    }
    if (!isPyramid || !number) text(isPyramid ? room + own : left + own / 2, start + height + 34, per, { "text-anchor": "middle", fill: "var(--soft-ink)" });
  });
  return svg;
};

// --- the part of the page ---

const explorer = async (own) => {
  const { data } = own;
  const [about] = data.releases;
  const state = { ladder: 0, type: 0, region: "", code: "", detail: "", kind: "", isLong: false };
  let number = 0; // of what is shown: what comes late is dropped
  let asking = null; // the calculator, once it is there
  const nameOfGroup = () => own.groups[own.codes.get(state.code)].label;
  const ladderOf = () => about.ladders[state.ladder];
  const count = (more = {}) => ({ release: 0, ladder: state.ladder, type: state.type, regions: [state.region], groups: [state.code], values: {}, ...more });
  const shownIn = (ladder) => (value) => amountText(value, ladder.decimals);
  const span = (answer, shown) => spanText(shown, answer);
  const barOf = (label, answer, shown) => ({ label, answer, text: `${shown(answer.estimate)} (${span(answer, shown)})` });
  const regionName = () => own.regions(0, state.type).then(({ places, names }) => names[places.get(state.region)]);

  // The interval of some of a group's table, or of all of it: by what is wanted of its attributes, or by the place of a cell.
  const partOf_ = async (group, values, place) => {
    if (!ladderOf().isExact) return publishedEnds(group, place);
    const { answer } = await answerOf(own, "count", [count({ values })]);
    return about.isFromZero ? { ...answer, low: Math.max(0, answer.low), high: Math.max(0, answer.high) } : answer;
  };

  // --- the answer ---

  const factsOf = async (entry, shown) => {
    const [facts, ladder] = [[], ladderOf()];
    if (!ladder.isExact) return [words.not_exact];
    for (const { attribute } of dimensionsOf(ladder, entry.group.level).filter((each) => each.attribute.isOfNumbers)) {
      const { answer } = await answerOf(own, "quantile", [count()], { attribute: attribute.name, share: "0.5" });
      if (!isKnown(answer)) continue;
      const wide = wideClass(ladder, entry.group.level, attribute.name, answer.estimate);
      const ends = { what: attribute.title, low: answer.low, high: answer.high, estimate: figureText("quantile", false, answer.estimate) };
      facts.push(say(wide ? "median_wide" : "median", { ...ends, wide }));
    }
    const counted = about.ladders.findIndex(({ name, isSum, isExact }) => isExact && !isSum && (!ladder.beside || name === ladder.beside));
    if (ladder.isSum && counted >= 0) {
      const { answer } = await answerOf(own, "ratio", [count(), count({ ladder: counted })]);
      const mean = (value) => fixed(value / 10 ** ladder.decimals, 2);
      if (isKnown(answer)) facts.push(say("mean", { mean: mean(answer.estimate), span: span(answer, mean), one: ladder.one }));
    }
    if (data.releases.length > 1 && data.releases[1].ladders[state.ladder]?.name === ladder.name) {
      const sides = [count(), count({ release: 1 })];
      const { answer, notes } = await answerOf(own, "difference", sides);
      const growth = (await answerOf(own, "growth", sides)).answer;
      if (isKnown(answer) && !notes.includes("same")) {
        const signed = (value) => `${value > 0 ? "+" : ""}${shown(value)}`;
        const percents = isKnown(growth) ? say("growth", { growth: figureText("growth", true, growth.estimate), span: span(growth, (value) => figureText("growth", true, value)) }) : "";
        const estimate = Number.isFinite(answer.estimate) ? signed(answer.estimate) : "–";
        facts.push(say("since", { release: data.releases[1].name, estimate, span: span(answer, signed), percents, verdict: verdictOf(answer) }));
      }
    }
    return facts;
  };

  const rankOf = async () => {
    const { ids } = await own.regions(0, state.type);
    const isHere = `0-${state.type}` in data.pieces || ids.length < mostRankedApart;
    if (ids.length < 2 || ids.length > mostRanked || !isHere || !ladderOf().isExact) return "";
    const found = await answersTo(own, ids.map((id) => ({ kind: "rank", counts: [count({ regions: [id] })] })));
    const { answer } = found[ids.indexOf(state.region)];
    if (!isKnown(answer)) return "";
    const ranks = answer.low === answer.high ? whole(answer.low) : say("span", { low: whole(answer.low), high: whole(answer.high) });
    return say("rank", { ranks, number: whole(ids.length), type: about.types[state.type].title });
  };

  const showAnswer = async (entry, entries) => {
    const [ladder, where] = [ladderOf(), await regionName()];
    const shown = shownIn(ladder);
    const answer = entry ? await partOf_(entry.group, {}, 0) : ladder.isExact ? (await answerOf(own, "count", [count()])).answer : null;
    const known = answer && isKnown(answer);
    const asked = { kind: "count", counts: [count()] };
    const [row] = ladder.isExact ? await answersTo(own, [asked]) : [{ ...asked, answer, notes: [], terms: { absent: [], groups: [] } }];
    const figure = !known ? words.too_small : Number.isFinite(answer.estimate) ? shown(answer.estimate) : span(answer, shown);
    const interval = known && Number.isFinite(answer.estimate) ? say("interval", { span: span(answer, shown) }) : "";
    const facts = entry ? await factsOf(entry, shown) : [known ? words.small : words.nothing_known];
    const more = entry && entries.find((each) => isWithin(entry, each) && each.code !== "ALL");
    if (more) facts.unshift(say("combination", { count: figure, name: stemOf(entry), more: shown(more.size) }));
    if (row.notes.includes("both_stages")) facts.push(say("both_stages", { count: shown(added(entry.group.counts)) }));
    return async (isLate) => {
      byId("figure").textContent = figure;
      byId("interval").textContent = interval;
      byId("who").textContent = say(ladder.isSum ? "who_sum" : "who", { many: ladder.many, group: nameOfGroup(), region: where });
      byId("about").replaceChildren(...facts.map((text) => made("li", text)));
      byId("compare").hidden = byId("ask-more").hidden = !ladder.isExact;
      byId("below-zero").hidden = !(known && answer.estimate < 0);
      byId("answer-link").href = view.link({ region: `${about.types[state.type].name} ${state.region}`, group: state.code, table: ladder.name });
      byId("copies").replaceChildren(...copyButtons(own, answer ? [row] : []));
      const text = entry && (await rankOf());
      if (text && !isLate()) byId("about").append(made("li", text));
    };
  };

  // --- the largest groups of the region ---

  const ladders = single("ladder", words.ladder, (value) => set({ ladder: Number(value) }));
  const listOf = (name) => [name, single(`bars-${name}`, words[name], (value) => set({ [name]: value }))];
  const lists = Object.fromEntries(["detail", "kind"].map(listOf));
  byId("switches").append(...[ladders, ...Object.values(lists)].map(({ holder }) => holder));
  const switches = (entries) => {
    for (const [name, list] of Object.entries(lists)) {
      const found = [...new Set(entries.map((entry) => entry[name]))].filter(Boolean).sort();
      if (!found.includes(state[name])) state[name] = "";
      const named = ["", ...found].map((each) => [each, words[`${name}_${each || "all"}`] ?? each]);
      list.show(found.length > 1 ? named : [], state[name]);
    }
    ladders.show(about.ladders.map(({ name, title }, place) => [place, title ?? name]), state.ladder);
  };

  const showBars = async (entries) => {
    switches(entries);
    const ladder = ladderOf();
    const shown = shownIn(ladder);
    const some = entries.filter((entry) => ["detail", "kind"].every((name) => !state[name] || entry[name] === state[name]));
    const miss = lessThan / Math.max(1, ladder.types[state.type].kinds.of.length); // Bonferroni's: any group of the type might have been the largest
    const rows = [];
    for (const entry of some.slice(0, state.isLong ? some.length : mostBars)) {
      const { answer } = ladder.isExact ? await answerOf(own, "count", [count({ groups: [entry.code] })], { miss }) : { answer: publishedEnds(entry.group, 0) };
      const around = { estimate: entry.size, low: Math.min(answer.low, entry.size), high: Math.max(answer.high, entry.size) };
      rows.push({ ...barOf(entry.label, around, shown), isPicked: entry.code === state.code, pick: () => set({ code: entry.code }) });
    }
    const where = await regionName();
    return () => {
      byId("bars-title").textContent = say("largest", { region: where });
      byId("bars").replaceChildren(barList(rows, say("largest", { region: where })));
      const isOff = ({ answer: { estimate, low, high } }) => Math.abs(2 * estimate - low - high) > 0.1 * (high - low);
      byId("bars-note").textContent = ladder.isExact ? `${words.joint} ${rows.some(isOff) ? words.off_centre : ""}` : words.not_joint;
      byId("bars-more").hidden = some.length <= mostBars;
      byId("bars-more").textContent = state.isLong ? words.fewer : say("all_groups", { number: whole(some.length) });
    };
  };

  // --- the table of the group ---

  const cellsOfTable = async (group, dimensions) => {
    let rows = [{ labels: [], values: {}, groups: [], place: 0 }];
    for (const { attribute, groups } of dimensions) {
      rows = rows.flatMap((row) => groups.map((each, place) => {
        const values = { ...row.values, [attribute.name]: each.text };
        return { labels: [...row.labels, each.label], values, groups: [...row.groups, each], place: row.place * groups.length + place };
      }));
    }
    for (const row of rows) row.answer = await partOf_(group, row.values, row.place + 1);
    return rows;
  };

  const sharesOf = async (entry, dimensions) => {
    const lists = [];
    if (!ladderOf().isExact) return lists;
    for (const dimension of dimensions) {
      const { attribute, groups } = dimension;
      const ranges = attribute.isOfNumbers ? rangesOf(dimension) : [];
      const parts = [...ranges, ...groups.filter(({ first }) => first === undefined)];
      const rows = [];
      for (const { text, label } of parts) {
        const found = (await answerOf(own, "ratio", [count({ values: { [attribute.name]: text } }), count()])).answer;
        const answer = { ...found, estimate: possible(found) };
        const percents = (value) => figureText("ratio", true, value);
        if (isKnown(answer)) rows.push({ ...barOf(label, answer, percents), isCut: answer.estimate !== found.estimate });
      }
      if (rows.length) lists.push([attribute, rows]);
    }
    return lists;
  };

  const tableShown = (rows, dimensions) => {
    const heads = dimensions.map(({ attribute }) => capital(attribute.title)).join(", ");
    const shown = shownIn(ladderOf());
    const cells = rows.map(({ labels, answer }) => [labels.join(", "), ...[answer.estimate, answer.low, answer.high].map(shown)]);
    return folded(words.counts, tableOf([heads, words.count, words.from, words.to], cells));
  };

  const pyramidShown = async (entry, dimensions, rows, tell) => {
    const numbers = dimensions.findIndex(({ attribute }) => attribute.isOfNumbers);
    const lists = dimensions.findIndex(({ attribute }) => !attribute.isOfNumbers);
    const attribute = dimensions[numbers].attribute;
    const oldest = attribute.name === "AGE" && attribute.maximum <= 150 ? 100 : attribute.maximum + 1;
    const panels = new Map();
    for (const row of rows) {
      const range = row.groups[numbers];
      if (range.first === undefined) continue;
      const label = lists < 0 ? "" : row.labels[lists];
      const top = range.last === attribute.maximum && range.first < oldest ? Math.max(oldest, range.first + 1) : range.last + 1;
      panels.set(label, [...(panels.get(label) ?? []), { label: `${label} ${range.label}`.trim(), range: range.label, first: range.first, top, answer: row.answer }]);
    }
    const sizes = new Map([...panels].map(([label, own_]) => [label, added(own_.map(({ answer }) => Math.max(0, answer.estimate)))]));
    const all = added([...sizes.values()]);
    const isMain = ([label]) => panels.size < 3 || sizes.get(label) >= littlePart * all;
    const drawn = [...panels].filter(isMain).map(([label, own_]) => ({ label, rows: own_.map((row) => ({ ...row, label: row.range })) }));
    const shown = shownIn(ladderOf());
    const rest = [];
    const beside = [...(lists < 0 ? [] : dimensions[lists].groups.filter(({ label }) => panels.has(label) && !isMain([label]))).map((each) => [lists, each])];
    beside.push(...dimensions[numbers].groups.filter(({ first }) => first === undefined).map((each) => [numbers, each]));
    if (ladderOf().isExact) {
      for (const [place, { text, label }] of beside) {
        const { answer } = await answerOf(own, "count", [count({ values: { [dimensions[place].attribute.name]: text } })]);
        rest.push(say("row", { label: `${dimensions[place].attribute.title} ${label}`, count: shown(answer.estimate), low: shown(answer.low), high: shown(answer.high) }));
      }
    }
    const per = say("per", { many: ladderOf().many, what: attribute.name === "AGE" ? words.year : attribute.title });
    return [(width) => rangesPicture(drawn, per, width, tell), rest];
  };

  const showTable = async (entry) => {
    const place = byId("table");
    if (!entry?.group.level) return () => {
      place.replaceChildren(made("p", words.alone, { className: "hint" }));
      place.parentElement.hidden = !entry;
      byId("shares").replaceChildren();
    };
    const dimensions = dimensionsOf(ladderOf(), entry.group.level);
    const rows = await cellsOfTable(entry.group, dimensions);
    const list = dimensions.find(({ attribute, groups }) => !attribute.isOfNumbers && groups.length < 5);
    const drawn = dimensions.length > 2 && ladderOf().isExact ? dimensions.filter((each) => each === list || each.attribute.isOfNumbers) : dimensions;
    const said = made("p", "", { className: "hint" });
    const isRanged = drawn.filter(({ attribute }) => attribute.isOfNumbers).length === 1 && drawn.length <= 2;
    const own_ = drawn === dimensions ? rows : isRanged ? await cellsOfTable(entry.group, drawn) : [];
    const [picture, rest] = isRanged ? await pyramidShown(entry, drawn, own_, (text) => (said.textContent = text)) : [null, []];
    const shares = await sharesOf(entry, dimensions);
    const title = (isRanged ? drawn : dimensions).map(({ attribute }) => attribute.title).join(words.by);
    const shown = shownIn(ladderOf());
    const bars = rows.map(({ labels, answer }) => barOf(labels.join(", "), answer, shown));
    return () => {
      byId("table-title").textContent = capital(title);
      place.parentElement.hidden = false;
      if (picture) {
        const ariaLabel = say("drawing", { title, group: byId("who").textContent });
        const holder = made("div", "", { className: "drawing", id: "pyramid", role: "img", ariaLabel });
        const redraw = () => holder.replaceChildren(picture(Math.min(640, holder.clientWidth || 320)));
        place.replaceChildren(holder, said, ...rest.map((text) => made("p", text, { className: "hint" })), tableShown(rows, dimensions));
        redraw();
        holder.dataset.drawn = "yes";
        onWidth(holder, redraw);
      } else place.replaceChildren(...(rows.length > mostCells ? [] : [barList(bars, title)]), tableShown(rows, dimensions));
      const lists = shares.flatMap(([attribute, own_]) => {
        const name = say("shares", { what: attribute.title });
        return [made("h4", name), barList(own_, name), ...(own_.some(({ isCut }) => isCut) ? [made("p", words.cut, { className: "hint" })] : [])];
      });
      byId("shares").replaceChildren(...lists);
    };
  };

  // --- all of it ---

  const refresh = async () => {
    const asked = (number += 1);
    byId("explore").dataset.shown = "";
    const entries = await groupsOf(own, state);
    const entry = entries.find(({ code }) => code === state.code);
    const parts = [await showAnswer(entry, entries), await showBars(entries), await showTable(entry)];
    if (asked !== number) return;
    const done = parts[0](() => asked !== number);
    for (const show of parts.slice(1)) show();
    byId("explore").dataset.shown = String(asked);
    await done;
    redrawMap?.();
  };
  let redrawMap = null;

  const set = async (change, isLinked = true) => {
    Object.assign(state, change);
    if (!["region", "code", "ladder"].some((name) => name in change)) return refresh();
    const unasked = { ask: "", each: "", count: "", share: "", of: "", other: "" };
    if (isLinked) view.set({ ...unasked, region: `${about.types[state.type].name} ${state.region}`, group: state.code, table: state.ladder ? ladderOf().name : "" });
    await Promise.all([asking?.follow(state), refresh()]);
  };

  // --- the search: groups and regions together, and "group in region" ---

  const regionsOf = async () => {
    const all = await Promise.all(about.types.map((_, type) => own.regions(0, type)));
    return all.flatMap(({ entries }, type) => entries.map((entry) => ({ ...entry, hint: about.types[type].title, change: { type, region: entry.code } })));
  };
  let offered = null;
  const offersFor = async (text) => {
    offered ??= regionsOf();
    const [regions, entries] = [await offered, await groupsOf(own, state)];
    const sizes = new Map(entries.map(({ code, size }) => [code, shownIn(ladderOf())(size)]));
    const named = own.groups.map((group) => ({ ...group, hint: sizes.get(group.code), change: { code: group.code } }));
    const paired = (group, region) => ({ label: say("in", { group: group.label, region: region.label }), hint: region.hint, change: { ...group.change, ...region.change } });
    const found = text ? searched(text, named, regions, paired) : [];
    const largest = [...sizes.keys()].slice(0, 8).map((code) => named[own.codes.get(code)]);
    return found.some(({ isNote }) => !isNote) ? found : [...found, ...largest, ...regions.slice(0, 12)];
  };
  combobox(byId("search"), byId("search-list"), offersFor, ({ change }) => set(change));

  byId("bars-more").addEventListener("click", () => set({ isLong: !state.isLong }));
  byId("compare").addEventListener("click", () => asking?.compare(state));
  byId("ask-more").addEventListener("click", () => asking?.begin());

  const link = view.get();
  const [wantedType, ...rest] = (link.region ?? "").split(" ");
  const type = about.types.findIndex(({ name }) => name === wantedType);
  const having = about.types.findIndex((_, place) => about.ladders[0].types[place].kinds.of.length);
  state.ladder = Math.max(0, about.ladders.findIndex(({ name }) => name === link.table));
  state.type = Math.max(0, type < 0 ? having : type);
  const { ids, places } = await own.regions(0, state.type);
  state.region = type >= 0 && places.has(rest.join(" ")) ? rest.join(" ") : ids[0];
  const entries = await groupsOf(own, state);
  state.code = own.codes.has(link.group) ? link.group : (entries.find(({ group }) => group.level) ?? entries[0] ?? { code: data.iterations[0][0] }).code;
  await refresh();
  if (byId("data-maps")) {
    const redraw = await mapping(own, await unsqueezed(read("data-maps")), () => ({ ...state, name: nameOfGroup() }));
    const near = new IntersectionObserver((changes) => {
      if (!changes.some(({ isIntersecting }) => isIntersecting)) return;
      near.disconnect(); // what the map needs of a large release is read once somebody is near it
      redrawMap = redraw;
      redraw();
    }, { rootMargin: "400px" });
    near.observe(byId("map"));
  }
  return { state, set, use: (calculator_) => (asking = calculator_) };
};

// --- the parts of the page, one of which is seen ---

const panels = [...document.querySelectorAll("main > .panel")];
const links = [...document.querySelectorAll("#parts a")];
const showPanel = () => {
  const wanted = location.hash.startsWith("#?") ? null : byId(decodeURIComponent(location.hash.slice(1)));
  const own = panels.find((panel) => wanted && panel.contains(wanted)) ?? panels[0];
  for (const panel of panels) panel.hidden = panel !== own;
  for (const link of links) {
    if (link.hash === `#${own.id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (wanted && wanted !== own) wanted.scrollIntoView();
};
window.addEventListener("hashchange", showPanel);
showPanel();

const begin = async () => {
  const own = library(await unsqueezed(read("data-counts")));
  globalThis.safetab = askedOf(own);
  const explored = await explorer(own);
  globalThis.safetab.show = explored.set;
  if (byId("ask")) explored.use(await calculator(own, document.title, explored.state));
};
if (byId("data-counts")) {
  begin().catch((error) => {
    byId("who").textContent = error instanceof Unreadable ? error.message : words.too_old;
    byId("explore").dataset.shown = "no";
    if (!(error instanceof Unreadable)) console.error(error);
  });
}
