// An answer as SQL, as Python and as a command, which find the same figure in the folder of the release. Uses the functions of
// charts.js, counts.js and explore.js.

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const among = (column, values) => `${column} ${values.length === 1 ? `= ${quoted(values[0])}` : `in (${values.map(quoted).join(", ")})`}`;
const inShell = (text) => (/^[\w./-]+$/.test(text) ? text : /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`);
const isAll = ({ values }) => Object.values(values).every((text) => !text);
const isOne = ({ regions, groups }) => regions.length * groups.length === 1;

// The codes of the wanted cells of a table, as a condition; of a total alone (level 0), those of all.
const codesWhere = (ladder, level, values) => {
  const tables = new Map(dimensionsOf(ladder, level).map(({ attribute, groups }) => [attribute, groups]));
  return ladder.attributes.map((attribute) => {
    const [[column, end], groups] = [attribute.columns, tables.get(attribute)];
    if (!groups) return among(column, [attribute.total]);
    const wanted = wantedValues(attribute, values[attribute.name]);
    if (!wanted && !ladder.hasSubranges) return `${column} <> ${quoted(attribute.total)}`;
    const chosen = groups.filter(({ place }) => !wanted || wanted.has(place));
    const isRange = end && !ladder.hasSubranges && chosen.every(({ first }) => first !== undefined);
    if (isRange) return `try_cast(${column} as integer) between ${chosen[0].first} and ${chosen.at(-1).last}`;
    return among(end ? `${column} || '-' || ${end}` : column, chosen.map(({ code }) => code));
  }).join(" and ");
};

// The rows of the counts on one side of figures that differ in regions or groups alone: their folder, their table, and what they have.
const rowsOf = ({ data }, figures, side) => {
  const [regions, groups] = ["regions", "groups"].map((name) => [...new Set(figures.flatMap(({ counts }) => counts[side][name]))]);
  const count = { ...figures[0].counts[side], regions, groups };
  const used = figures.flatMap(({ terms }) => terms.groups.filter(({ chosen }) => chosen[side]).map(({ group }) => group.level));
  const levels = [...new Set(used)].sort();
  const about = data.releases[count.release];
  const ladder = about.ladders[count.ladder];
  const keys = [among("REGION_TYPE", [about.types[count.type].name]), among("ITERATION_CODE", count.groups)];
  const isApart = isAll(count) && ladder.totals; // totals in a folder of their own
  const cells = (isAll(count) ? [0] : levels).map((level) => [codesWhere(ladder, level, count.values), level]);
  const tables = cells.map(([codes, level]) => `${among("STATISTIC", [ladder.tables[level - 1] ?? ""])} and ${codes}`);
  const isMixed = new Set(cells.map(([codes]) => codes)).size > 1; // tables of several kinds
  const codes = isApart || !cells.length ? [] : [isMixed ? `(${tables.join(" or ")})` : cells[0][0]];
  const where = [...keys, among("REGION_ID", count.regions), ...codes].join(" and ");
  return { ladder, release: count.release, folder: about.folder, table: isApart ? ladder.totals : ladder.name, keys, where };
};

// A row of a table of wanted statistics, by its columns. named: what a release is called there, where there are several.
const wantedOf = ({ data }, { kind, share, attribute, counts }, named) => {
  const row = { KIND: kind, ...(kind === "quantile" ? { SHARE: share, ATTRIBUTE: attribute } : {}) };
  counts.forEach(({ release, ladder, type, regions, groups, values }, side) => {
    const { types, ladders } = data.releases[release];
    const keys = { TABLE: ladders[ladder].name, REGION_TYPE: types[type].name, REGION_ID: regions.join(" "), ITERATION_CODE: groups.join(" ") };
    const codes = ladders[ladder].attributes.flatMap(({ name, columns, total }) => {
      const text = values[name] || total;
      const ends = columns.length > 1 ? /^(-?\d+)-(-?\d+)$/.exec(text)?.slice(1) : null;
      return columns.map((column, place) => [column, ends ? ends[place] : text]);
    });
    const cells = [...(data.releases.length > 1 ? [["RELEASE", named(release)]] : []), ...Object.entries(keys), ...codes];
    for (const [column, value] of cells) row[`${side ? "OTHER_" : ""}${column}`] = value;
  });
  return row;
};

// Where the totals of a figure are best: in a table beside the others, or in these.
const besideOf = ({ terms, notes }) => (terms.absent.flat().length ? "suppressed/" : notes.includes("both_stages") ? "measurements/" : "");

// Of figures that are rows, or are not published, what was published; of others the rows that are added up.
const sqlOf = (own, rows) => {
  const beside = besideOf(rows[0]);
  const isRow = rows.every(({ counts: [count, other] }) => !other && isOne(count) && isAll(count));
  return rows[0].counts.map((_, side) => {
    const { ladder, folder, table, keys, where } = rowsOf(own, rows, side);
    const columns = { "suppressed/": ["0", "HIGH95"], "measurements/": ["ESTIMATE", "LOW95", "HIGH95"] }[beside] ?? [ladder.isSum ? "SUM" : "COUNT", "LOW95", "HIGH95"];
    const scaled = columns.map((name) => (ladder.decimals ? `${name} / 1e${ladder.decimals} as ${name}` : name));
    const named = rows.length > 1 ? ["REGION_ID", "ITERATION_CODE", ...scaled] : scaled;
    const wanted = `${beside === "suppressed/" ? keys.join(" and ") : where}${isRow && rows.length > 1 ? " order by 3 desc" : ""}`;
    return say(isRow ? "copied_row" : "copied_rows", { columns: named.join(", "), file: `${folder}/${beside}${table.toLowerCase()}${beside ? "" : "/*"}.parquet`, where: wanted });
  }).join("\n");
};

// The texts that find the figures that are known, by language, as far as there are any. given: as `answersTo` gives them.
const copiesOf = (own, given) => {
  const rows = given.filter(({ answer }) => isKnown(answer));
  if (!rows.length) return {};
  const [kind, counts] = [rows[0].kind, rows.flatMap((row) => row.counts)];
  const used = [...new Set(counts.map(({ release }) => release))].sort((a, b) => b - a); // the oldest first
  const folders = used.map((release) => own.data.releases[release].folder);
  const names = { folder: JSON.stringify(folders.length > 1 ? folders : folders[0]), typed: folders.map(inShell).join(" ") };
  const [isAbsent, isSum] = [rows.some(({ terms }) => terms.absent.flat().length), !counts.every(isOne)];
  const sides = rows.map((row) => row.counts.map((_, side) => rowsOf(own, [row], side)));
  const alike = ["", "measurements/", "suppressed/"].map((beside) => rows.filter((row) => besideOf(row) === beside)).filter(({ length }) => length);
  const found = isAbsent && (isSum || kind !== "count") ? {} : { sql: alike.map((each) => sqlOf(own, each)).join("\n") };
  const [macro, of] = { count: ["sum_of"], difference: ["difference_of", "minus"], ratio: ["ratio_of", "of"] }[kind] ?? [];
  if (macro && !isAbsent && (isSum || rows.length === 1)) {
    const ofRelease = ({ release }) => (folders.length > 1 ? `RELEASE = '${used.indexOf(release) + 1}' and ` : "");
    const asked = sides.map((both) => both.map((side) => `${ofRelease(side)}TABLE = '${side.table}' and ${side.where}`));
    const eachAs = (key, written) => asked.map((texts) => say(key, { ...names, macro, arguments_: texts.map(written).join(key === "copied_moe" ? " " : ", ") }));
    found.python = say("copied_import", {}) + eachAs("copied_moe_python", (text, side) => `${side ? of : "plus"}=${JSON.stringify(text)}`).join("");
    found.command = eachAs("copied_moe", (text, side) => `--${side ? of : "sum"} ${inShell(text)}`).join("");
    if (folders.length === 1 && !(kind === "count" && !isSum && counts.every(isAll))) found.sql = eachAs("copied_sums", (text) => `$$"TABLE"${text.slice("TABLE".length)}$$`).join("\n");
  } else if (!isSum) {
    const csv = csvOf(rows.map((row) => wantedOf(own, row, (release) => String(used.indexOf(release) + 1)))).trim().split("\r\n");
    found.python = say("copied_statistics_python", { ...names, csv: JSON.stringify(csv, null, 4) });
    found.command = say("copied_statistics", { ...names, csv: csv.join("\n") });
  }
  return found;
};

// Buttons that copy answers, and show what they copied.
const copyButtons = (own, rows) => {
  const texts = Object.entries(copiesOf(own, rows));
  const shown = made("pre", "", { hidden: true, tabIndex: 0 });
  const copied = (text) => {
    [shown.textContent, shown.hidden] = [text, false];
    navigator.clipboard?.writeText(text).catch(() => {}); // what is shown can be copied by hand
  };
  const buttons = texts.map(([name, text]) => pressed(words[`copy_${name}`], () => copied(text), { ariaLabel: say("copy", { what: words[`copy_${name}`] }) }));
  return texts.length ? [made("span", say("copy", { what: "" })), ...buttons, shown] : [];
};
