// The published counts that the page holds, or that lie beside it in pieces, and statistics of them: what a reader asks for is
// taken apart into independent noisy counts, whose laws of noise are known. Uses arithmetic.js and charts.js.
//
// A count that is asked for is { release, ladder, type, regions, groups, values }: places of a release, of its ladder and of the
// region type in it; ids of regions; codes of groups; and by attribute what of it is wanted, nothing for all.

const unsqueezed = async (text) => {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};

// --- pieces: in the page, or each in a script beside it, because a page that was opened as a file may load nothing else ---

class Unreadable extends Error {}

const expected = new Map(); // what waits for a piece, by its name
globalThis.safetabPiece = (name, text) => expected.get(name)(text);

const piece = (folder, name) =>
  new Promise((resolve, reject) => {
    expected.set(name, resolve);
    const script = made("script", "", { src: `${folder}/${name}.js` });
    script.addEventListener("load", () => script.remove());
    script.addEventListener("error", () => reject(new Unreadable(told("no_piece", { file: `${folder}/${name}.js` }))));
    document.head.append(script);
  }).then(unsqueezed);

const piecesOf = (data) => {
  const known = new Map(Object.entries(data.pieces));
  return (name) => {
    if (!known.has(name)) known.set(name, piece(data.folder, name));
    return known.get(name);
  };
};

// --- attributes: which cells of a table hold the wanted values ---

// The group of each value, from the lengths of runs of values of one group.
const membersOf = (runs) => runs.flatMap(([group, length]) => Array(length).fill(group));

// The positions of the values that a text means; null: all of them.
const wantedValues = (attribute, text) => {
  if (!text) return null;
  const option = attribute.options.find(([code]) => code === text);
  if (option) return new Set(option[2]);
  const range = attribute.isOfNumbers ? /^(-?\d{1,9})(?:-(-?\d{1,9}))?$/.exec(text) : null;
  if (!range) return new Set();
  const [first, last] = [Number(range[1]), Number(range[2] ?? range[1])];
  const isKnown = attribute.minimum <= first && first <= last && last <= attribute.maximum;
  return new Set(isKnown ? Array.from({ length: last - first + 1 }, (_, place) => first + place - attribute.minimum) : []);
};

// The cells of the table of a stat level, 0 a total alone: { places, isWhole, bins }; bins: of a quantile, the first and the last
// number in each cell.
const cellsOf = (ladder, level, wanted, quantileOf) => {
  const values = ladder.attributes.map(({ name }) => wanted.get(name));
  if (!level) return { places: [0], isWhole: values.every((each) => each === null), bins: null };
  const groupings = ladder.statistics[level - 1];
  let cells = [{ place: 0, bin: null }];
  const used = new Set();
  let isWhole = true;
  for (const [attribute, name] of groupings) {
    const { name: called, minimum, groupings: runs } = ladder.attributes[attribute];
    const members = membersOf(runs[name]);
    const [size, own] = [Math.max(...members) + 1, values[attribute]];
    const groups = own === null ? [...Array(size).keys()] : [...new Set([...own].map((value) => members[value]))].sort((a, b) => a - b);
    if (own !== null) isWhole &&= members.filter((group) => groups.includes(group)).length === own.size;
    const ends = (group) => [minimum + members.indexOf(group), minimum + members.lastIndexOf(group)];
    cells = cells.flatMap(({ place, bin }) => groups.map((group) => ({ place: place * size + group, bin: called === quantileOf ? ends(group) : bin })));
    used.add(attribute);
  }
  isWhole &&= values.every((own, attribute) => own === null || (used.has(attribute) && own.size > 0));
  return { places: cells.map(({ place }) => place), isWhole, bins: cells[0]?.bin ? cells.map(({ bin }) => bin) : null };
};

// The cells by stat level, each made when it is needed.
const cellChooser = (ladder, values, quantileOf) => {
  const wanted = new Map(ladder.attributes.map((attribute) => [attribute.name, wantedValues(attribute, values[attribute.name])]));
  for (const { name, size, beside } of ladder.attributes) {
    if (name !== quantileOf || !beside.length) continue; // whoever has no number has no quantile
    const numbers = [...Array(size - beside.length).keys()];
    wanted.set(name, new Set(numbers.filter((value) => wanted.get(name)?.has(value) ?? true)));
  }
  const known = [];
  return (level) => (known[level] ??= cellsOf(ladder, level, wanted, quantileOf));
};

// --- groups and regions ---

// Whether all of a group are in another: who gave one answer alone, among those who gave it with or without others.
const stemOf = ({ label }) => label.replace(/ alone( or in (any )?combination)?$/i, "");
const isWithin = (one, other) => (other.code === "ALL" ? one !== other : [one.kind, other.kind].join() === "alone,combination" && one.detail === other.detail && stemOf(one) === stemOf(other));

const library = (data) => {
  const pieceOf = piecesOf(data);
  const codes = new Map(data.iterations.map(([code], place) => [code, place]));
  const laws = data.laws.map(([kind, budget], number) => ({ kind, budget, number }));

  // Groups, and regions of a type of a release, as they are looked for: fields.js.
  const groups = data.iterations.map(([code, name, detail, kind]) => ({ code, label: name || code, detail, kind, also: code === "ALL" ? words.everyone : [] }));
  const regions = async (release, type) => {
    const found = await pieceOf(`${release}-${type}`);
    found.places ??= new Map(found.ids.map((id, place) => [id, place]));
    const { name, title } = data.releases[release].types[type];
    const also = [title, ...(type || found.ids.length > 1 ? [] : words.whole), ...(name === "USA" ? words.usa : [])];
    const lettersOf = (id) => (name.endsWith("STATE") && words.letters[id] ? [words.letters[id]] : []);
    found.entries ??= found.ids.map((code, place) => ({ code, label: found.names[place], also: [...also, ...lettersOf(code)] }));
    return found;
  };

  // The groups of a region: by the place of the iteration, { level, counts }. Where the noise of a ladder is not known, the total
  // stands before the cells, and `ends` has the ends of the interval of each.
  const groupsOf = (release, ladder, block, place) => {
    block.read ??= [];
    if (!block.read[place]) {
      const [flat, found, { sizes, isExact }] = [block.groups[place], new Map(), data.releases[release].ladders[ladder]];
      for (let [at, end] = [0, 0]; at < flat.length;) {
        const [iteration, level] = flat.slice(at, at + 2);
        const size = sizes[level] + Number(!isExact && level > 0);
        found.set(iteration, { level, counts: flat.slice(at + 2, at + 2 + size), ends: block.ends?.[place].slice(end, end + 2 * size) });
        [at, end] = [at + 2 + size, end + 2 * size];
      }
      block.read[place] = found;
    }
    return block.read[place];
  };

  // Gives, for regions that are loaded now, the groups of one; none for a region without groups in this ladder.
  const loaded = async ({ release, ladder, type, regions: ids }) => {
    const { starts } = data.releases[release].types[type];
    const { places } = await regions(release, type);
    const blockOf = (place) => starts.findLastIndex((start) => start <= place);
    const wanted = [...new Set(ids.filter((id) => places.has(id)).map((id) => blockOf(places.get(id))))];
    const blocks = new Map(await Promise.all(wanted.map(async (block) => [block, await pieceOf(`${release}-${type}-${ladder}-${block}`)])));
    return (id) => {
      if (!places.has(id)) return null;
      const block = blockOf(places.get(id));
      const place = places.get(id) - starts[block];
      return { groups: groupsOf(release, ladder, blocks.get(block), place), totals: blocks.get(block).totals?.[place] ?? {} };
    };
  };

  // The law of a group, and up to which total it is not published: of a group of a ladder, region type and iteration.
  const kindOf = (list, iteration) => {
    list.places ??= new Map(list.of.map(([place, kind]) => [place, kind]));
    const found = data.kinds[list.places.get(iteration)];
    return found && { law: laws[found[0]], above: found[1] };
  };
  return { data, codes, groups, regions, loaded, kindOf, laws };
};

// --- statistics ---

const shares = { 0.1: [1, 10], 0.25: [1, 4], 0.5: [1, 2], 0.75: [3, 4], 0.9: [9, 10] };
const isPair = (kind) => ["difference", "ratio", "growth"].includes(kind);
const inWords = ({ release, ladder, type, regions, groups, values }) => {
  const wanted = Object.entries(values).filter(([, text]) => text);
  return JSON.stringify([release, ladder, type, ...[regions, groups, wanted].map((each) => [...each].sort())]);
};

// What the counts of one side are: calls `each` with every group that has a row, and gives what is known of the others.
const visit = (own, count, known, quantileOf, each) => {
  const ladder = own.data.releases[count.release].ladders[count.ladder];
  const type = ladder.types[count.type] ?? { kinds: { of: [] }, limits: { of: [] } };
  const cells = cellChooser(ladder, count.values, quantileOf);
  const found = { absent: [], missing: 0, isInPart: false, isTotalInPart: false };
  for (const id of count.regions) {
    const region = known(id);
    for (const code of count.groups) {
      const iteration = own.codes.get(code);
      const group = region?.groups.get(iteration);
      if (group) {
        const chosen = cells(group.level);
        const key = `${count.release} ${count.ladder} ${count.type} ${id} ${code}`;
        each({ key, group, chosen, iteration, total: region.totals[iteration], ...own.kindOf(type.kinds, iteration) });
        found.isInPart ||= !chosen.isWhole;
        found.isTotalInPart ||= !group.level && (!chosen.isWhole || Boolean(quantileOf));
      } else {
        const limit = region ? own.kindOf(type.limits, iteration) : null;
        if (limit) found.absent.push({ ...limit, times: 1 });
        else found.missing += 1;
      }
    }
  }
  return found;
};

// The counts of a statistic as terms: see arithmetic.js.
const termsOf = (own, counts, known, quantileOf) => {
  const groups = new Map();
  const sides = counts.map((count, side) => visit(own, count, known[side], quantileOf, (found) => {
    const entry = groups.get(found.key) ?? { ...found, chosen: [null, null] };
    entry.chosen[side] = found.chosen;
    groups.set(found.key, entry);
  }));
  const terms = new Map();
  for (const { group, chosen, law, above } of groups.values()) {
    const limit = group.level ? null : above;
    const times = new Map();
    chosen.forEach((cells, side) => cells?.places.forEach((place) => times.set(place, (times.get(place) ?? 0) + side + 1)));
    for (const [place, sum] of times) {
      const [one, other] = [sum % 2, sum >> 1];
      const key = `${law.number} ${limit} ${one} ${other}`;
      const term = terms.get(key) ?? { law, above: limit, one, other, draws: 0, noisy: 0, counts: [] };
      term.draws += 1;
      term.noisy += group.counts[place];
      if (limit !== null) term.counts.push(group.counts[place]);
      terms.set(key, term);
    }
  }
  const absent = [0, 1].map((side) => sides[side]?.absent ?? []);
  const isSame = counts.length === 2 && inWords(counts[0]) === inWords(counts[1]);
  const any = (name) => Math.max(...sides.map((side) => Number(side[name])));
  return { terms: [...terms.values()], absent, isSame, groups: [...groups.values()], any };
};

const quantileOf = ({ groups, absent }, attribute, share, miss) => {
  const [{ group, chosen, law }] = groups;
  const { bins, places } = chosen[0];
  if (!bins || absent.flat().length) return { estimate: NaN, low: NaN, high: NaN, p: NaN };
  const summed = new Map();
  bins.forEach(([first, last], cell) => {
    const own = summed.get(first) ?? { first, last, count: 0 };
    own.count += group.counts[places[cell]];
    summed.set(first, own);
  });
  const sorted = [...summed.values()].sort((a, b) => a.first - b.first);
  if (sorted.length < 2) return { estimate: NaN, low: NaN, high: NaN, p: NaN };
  const edges = [...sorted.map(({ first }) => first), sorted.at(-1).last + 1];
  return arithmetic.quantiles({ law, bins: sorted.map(({ count }) => count), edges, cells: Math.floor(places.length / sorted.length) }, shares[share], miss);
};

// What is to be known of a statistic, as names of sentences.
const notesOf = (kind, made_, answer) => {
  const { terms, absent, isSame, any, groups } = made_;
  const [isQuantile, isAbsent] = [kind === "quantile", absent.flat().length > 0];
  const isSeveral = isQuantile && groups.length + absent.flat().length + any("missing") > 1;
  if (isSeveral) return ["several"];
  if (any("missing") || (isQuantile && isAbsent)) return ["no_row"];
  if (any("isTotalInPart")) return ["total_only"];
  if (any("isInPart")) return ["in_part"];
  if (isQuantile) return Number.isNaN(answer.low) ? ["undivided"] : [];
  if (isSame) return ["same"];
  const isChosen = terms.some(({ above }) => above !== null);
  const notes = isAbsent ? ["suppressed"] : isChosen ? ["selected"] : [];
  if (["ratio", "growth"].includes(kind) && answer.high === Infinity) notes.push("no_end");
  if (kind === "ratio" && answer.low === 0 && answer.high === 1) notes.push("any");
  return notes;
};

const isUsable = ({ any }) => !any("missing") && !any("isInPart");
const lessThan = 0.05; // the chance to miss

// The answers to several statistics, each { kind, counts, attribute, share }; all that are ranks are ranked among one another.
const answersTo = async (own, asked, miss = lessThan) => {
  const found = [];
  for (const { kind, counts, attribute, share } of asked) {
    const known = await Promise.all(counts.map(own.loaded));
    const terms = termsOf(own, counts, known, kind === "quantile" ? attribute : null);
    let answer = { estimate: NaN, low: NaN, high: NaN, p: NaN };
    const isOne = terms.groups.length === 1 && !terms.absent.flat().length && isUsable(terms);
    if (kind === "quantile" && isOne) answer = quantileOf(terms, attribute, share, miss);
    else if (kind !== "quantile" && kind !== "rank" && isUsable(terms)) answer = arithmetic.evaluate(kind, terms, miss);
    const notes = notesOf(kind, terms, answer);
    const total = terms.groups[0]?.total;
    const isWhole = Object.values(counts[0].values).every((text) => !text);
    if (kind === "count" && isOne && isWhole && total && miss === lessThan) {
      [answer.estimate, answer.low, answer.high] = total;
      notes.splice(0, notes.length, "both_stages");
    }
    found.push({ kind, counts, share, attribute, terms, answer, notes, isPart: isPair(kind) && arithmetic.isPart(terms.terms) });
  }
  const ranked = found.filter(({ kind }) => kind === "rank");
  const ranks = arithmetic.ranksOf(ranked.map(({ terms }) => (isUsable(terms) ? terms : null)), lessThan);
  ranked.forEach((each, place) => (each.answer = ranks[place]));
  return found;
};
