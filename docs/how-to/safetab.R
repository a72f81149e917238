# safetab.R: sums, differences, ratios and growth of the counts of a release, with exact intervals. Needs R alone.
#
#   source("safetab.R")
#   release <- read_release("demo/release", "csv")  # csv: safetab-sql export demo/release --format csv --out csv
#   women <- subset(release$t2, REGION_TYPE == "USA" & ITERATION_CODE == "6004" & SEX == "2" & !IS_MARGINAL)
#   sum_of(release, women, level = 0.9)
#
# Rows may hold one another: noise that two rows share is counted once, and what both sides of a difference or ratio
# share cancels. Figures are those of `safetab-sql statistics` and `moe`. Sections are those of
# docs/specification/accuracy.md. Licence: Apache 2.0.

# --- what is asked: each answer is a data frame with estimate, low and high, the ends of an interval at `level` ---

#' The sum of some rows.
#' @param release what read_release() returned.
#' @param rows rows of its tables; columns TABLE and ROW say which, so rbind() these of rows of several tables.
#' @param level the chance, at least, with which the interval holds the true sum.
sum_of <- function(release, rows, level = 0.95) answer(sum_ends(counts_in(release, rows), level))

#' Each of some rows by itself.
count_of <- function(release, rows, level = 0.95) {
  counts <- atoms_of(release, rows)
  do.call(rbind, lapply(split(counts, counts$place), function(own) answer(sum_ends(own, level))))
}

#' The sum of some rows less that of others. p_value: the chance that noise alone is as far from 0.
#' @param other_release the release of the other rows, where it is another one.
difference_of <- function(release, rows, other, level = 0.95, other_release = release) {
  counts <- counts_in(release, rows, other, other_release)
  counts$times <- counts$times - counts$other
  answer(sum_ends(counts, level), p_value = p_value_of(counts))
}

#' The sum of some rows by that of others, such as a share. high: Inf where the other sum may be 0.
ratio_of <- function(release, rows, other, level = 0.95, other_release = release) {
  answer(ratio_ends(counts_in(release, rows, other, other_release), level))
}

#' By how much a sum exceeds another one, such as that of an earlier release, as a part of it: 0.1 for 10 %.
growth_of <- function(release, rows, other, level = 0.95, other_release = release) {
  tested <- difference_of(release, rows, other, level, other_release)
  data.frame(ratio_of(release, rows, other, level, other_release) - 1, p_value = tested$p_value)
}

#' A group without a row, of a region type whose small totals are not published: at most so many people.
suppressed_of <- function(release, region_type, iteration_code, level = 0.95) {
  own <- release$about$suppressed
  limit <- unique(own$SUPPRESSED_UP_TO[own$REGION_TYPE == region_type & own$ITERATION_CODE == iteration_code])
  if (length(limit) != 1) refuse("the release states no limit, or several, for ", region_type, " ", iteration_code)
  laws <- subset(release$about$laws, startsWith(LEVEL, paste0(region_type, "-")) & ABOVE %in% limit)
  answer(c(NA, 0, max(mapply(largest_suppressed, laws$LAW, limit, level))))
}

answer <- function(found, ...) data.frame(estimate = found[1], low = found[2], high = found[3], ...)

refuse <- function(...) stop(..., call. = FALSE)

# --- the release ---

#' Read a release: a list of its tables, such as t1 and t2, codes as text; `about` is for the functions of this file.
#' @param folder the folder that `safetab-sql run` made, or another one with its manifest.json.
#' @param tables the folder that `safetab-sql export --format csv` made of it; or, with package arrow, the first one.
read_release <- function(folder, tables = folder) {
  file <- file.path(folder, "manifest.json")
  manifest <- read_json(file)
  if (!identical(manifest$command, "run"))
    refuse(file, ": not the manifest of a release. Reconciled counts share noise: ask `safetab-sql moe`")
  ladders <- manifest$parameters$ladders
  laws <- laws_of(manifest$ledger$levels, ladders[[1]]$name)
  groups <- read_tables(tables, "group_index")
  level <- function(rows) paste(rows$LADDER, rows$LEVEL, rows$IS_TOTAL_ONLY, sep = "|")
  groups[c("LAW", "ABOVE")] <- laws[match(level(groups), level(laws)), c("LAW", "ABOVE")]
  group <- function(rows, ladder) paste(ladder, rows$REGION_TYPE, rows$REGION_ID, rows$ITERATION_CODE, sep = "|")
  about <- list(id = unname(tools::md5sum(file)), parameters = manifest$parameters, laws = laws, groups = groups,
                suppressed = read_tables(tables, "suppressed"), cells = list())
  release <- list()
  for (ladder in ladders) for (name in c(ladder$totals, ladder$name)) {
    rows <- read_tables(tables, tolower(name))
    names(rows)[names(rows) == "SUM"] <- "COUNT"
    rows <- data.frame(rows, TABLE = name, ROW = seq_len(nrow(rows)), check.names = FALSE)
    rows$GROUP <- match(group(rows, ladder$name), group(groups, groups$LADDER))
    release[[tolower(name)]] <- rows
    about$cells[[name]] <- tolower(ladder$name)
  }
  c(release, list(about = about))
}

# The files of a folder as one data frame: codes and names as text, the rest as numbers, and TRUE or FALSE.
read_tables <- function(...) {
  files <- list.files(file.path(...), "\\.(csv|parquet)$", full.names = TRUE)
  if (length(files) == 0) refuse(file.path(...), ": no table; make it with `safetab-sql export --format csv`")
  if (any(grepl("parquet$", files)) && !requireNamespace("arrow", quietly = TRUE))
    refuse(file.path(...), ": Parquet needs package arrow; or name a folder of `safetab-sql export --format csv`")
  rows <- do.call(rbind, lapply(files, function(file)
    if (grepl("parquet$", file)) as.data.frame(arrow::read_parquet(file))
    else read.csv(file, colClasses = "character", na.strings = "", check.names = FALSE, encoding = "UTF-8")))
  for (name in grep("^(COUNT|SUM|VARIANCE|TABLE_ROWS|.*(95|_UP_TO|_START|_END))$", names(rows), value = TRUE))
    rows[[name]] <- as.numeric(rows[[name]])
  for (name in grep("^IS_", names(rows), value = TRUE)) rows[[name]] <- tolower(rows[[name]]) == "true"
  rows
}

# A JSON file as lists. Commas and colons say nothing that the brackets do not.
read_json <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  tokens <- regmatches(text, gregexpr('"(?:[^"\\\\]|\\\\.)*+"|[][{}]|[^][{},:"\\s]+', text, perl = TRUE))[[1]]
  place <- 0
  take <- function() {
    token <- tokens[place <<- place + 1]
    if (startsWith(token, '"')) return(parse(text = token, keep.source = FALSE)[[1]])
    if (!token %in% c("[", "{")) return(switch(token, true = TRUE, false = FALSE, null = NULL, as.numeric(token)))
    found <- keys <- list()
    while (!tokens[place + 1] %in% c("]", "}")) {
      if (token == "{") keys <- c(keys, take())
      found <- c(found, list(take()))
    }
    place <<- place + 1
    setNames(found, unlist(keys))
  }
  take()
}

# The laws of independent counts of each level, and the totals up to which a group is not published.
laws_of <- function(levels, ladder) {
  do.call(rbind, lapply(levels, function(level) do.call(rbind, lapply(c("stage_2", "total_only"), function(kind) {
    call <- Filter(function(call) call$statistic == kind, level$calls)[[1]]
    above <- level[[if (kind == "stage_2") "suppression_threshold" else "total_only_suppression_threshold"]]
    name <- if (is.null(level$ladder)) level$level else substring(level$level, nchar(level$ladder) + 2)
    data.frame(LADDER = c(level$ladder, ladder)[1], LEVEL = name, IS_TOTAL_ONLY = kind == "total_only",
               LAW = paste(call$distribution, c(call$sigma2$exact, call$scale$exact)), ABOVE = c(above, NA)[1])
  }))))
}

# The independent counts of one sum or two: how many `times` each is in the one, and in the `other`.
counts_in <- function(release, rows, other = NULL, other_release = release) {
  others <- if (!is.null(other)) transform(atoms_of(other_release, other), times = 0, other = 1)
  all <- rbind(atoms_of(release, rows), others)
  found <- all[!duplicated(all$atom), ]
  found[c("times", "other")] <- rowsum(all[c("times", "other")], all$atom, reorder = FALSE)
  found
}

# The independent counts that rows are sums of: a cell of a table is one, and a total of a group without a table.
atoms_of <- function(release, rows) {
  about <- release$about
  if (NROW(rows) == 0 || !all(c("TABLE", "ROW") %in% names(rows)))
    refuse("rows: none, or not of the tables of read_release(). Of suppressed groups see suppressed_of()")
  if (!about$parameters$allow_negative_counts)
    refuse("counts below 0 became 0, so the noise of sums is not known: ask `safetab-sql moe`")
  rows$place <- seq_len(nrow(rows))
  found <- do.call(rbind, lapply(split(rows, rows$TABLE), function(own) {
    published <- data.frame(release[[tolower(own$TABLE[1])]][own$ROW, ], place = own$place, check.names = FALSE)
    if (is.null(published$IS_MARGINAL)) published$IS_MARGINAL <- about$groups$TABLE_ROWS[published$GROUP] > 0
    cells <- cells_in(release, about$cells[[own$TABLE[1]]], published[published$IS_MARGINAL, ])
    rbind(published[!published$IS_MARGINAL, names(cells)], cells)
  }))
  own <- about$groups[found$GROUP, ]
  if (anyNA(own$LAW) || any(abs(found$VARIANCE / vapply(unique(own$LAW), variance, 0)[own$LAW] - 1) > 1e-9))
    refuse("the manifest does not say how noisy these rows are: it is of another release")
  data.frame(place = found$place, atom = paste(about$id, found$TABLE, found$ROW), law = own$LAW,
             above = ifelse(own$TABLE_ROWS < 2, own$ABOVE, NA), count = found$COUNT, times = 1, other = 0)
}

# The cells of which each of some rows is the sum, with the place of the row.
cells_in <- function(release, table, rows) {
  cells <- release[[table]]
  cells <- cells[!cells$IS_MARGINAL & cells$GROUP %in% rows$GROUP, ]
  pairs <- merge(data.frame(row = seq_len(nrow(rows)), GROUP = rows$GROUP),
                 data.frame(cell = seq_len(nrow(cells)), GROUP = cells$GROUP))
  for (attribute in release$about$parameters$attributes) if (attribute$publish[[1]] %in% names(rows) && nrow(pairs))
    pairs <- pairs[is_within(attribute, cells[pairs$cell, ], rows[pairs$row, ]), ]
  found <- data.frame(cells[pairs$cell, c("TABLE", "ROW", "GROUP", "COUNT", "VARIANCE")], place = rows$place[pairs$row])
  sums <- vapply(split(found$COUNT, factor(found$place, rows$place)), sum, 0)
  if (any(sums != rows$COUNT)) refuse("some rows are not the sums of their cells, as `safetab-sql run` makes them")
  found
}

# Whether each cell has no values of an attribute that its row has not.
is_within <- function(attribute, cells, rows) {
  code <- attribute$publish[[1]]
  ends <- paste0(attribute$name, c("_START", "_END"))
  same <- rows[[code]] == attribute$total | rows[[code]] == cells[[code]]
  if (ends[1] %in% names(rows))
    return(same | (cells[[ends[1]]] >= rows[[ends[1]]] & cells[[ends[2]]] <= rows[[ends[2]]]) %in% TRUE)
  members <- do.call("c", unname(attribute$groups))
  values <- function(code) unlist(if (code %in% names(members)) members[[code]] else code)
  same | mapply(function(cell, row) all(values(cell) %in% values(row)), cells[[code]], rows[[code]])
}

# --- laws of noise ---

kept <- new.env()

# A value that is found once for each key.
once <- function(key, value) {
  if (is.null(kept[[key]])) assign(key, value, envir = kept)
  kept[[key]]
}

# The chances that noise is 0, 1, 2, ..., and so -1, -2, ...: discrete Gaussian with sigma2, or two-sided geometric.
chances_of <- function(law) once(law, {
  parameter <- Reduce(`/`, as.numeric(strsplit(sub(".* ", "", law), "/")[[1]]))
  is_gaussian <- startsWith(law, "discrete gaussian")
  reach <- ceiling(if (is_gaussian) sqrt(140 * parameter) else 70 * parameter)
  if (reach > 2^19) refuse("the noise is too wide for this file: ask `safetab-sql statistics`")
  weights <- exp(if (is_gaussian) -(0:reach)^2 / (2 * parameter) else -(0:reach) / parameter)
  weights / (2 * sum(rev(weights)) - 1)
})

variance <- function(law) 2 * sum((seq_along(chances_of(law)) - 1)^2 * chances_of(law))

# P(noise >= value).
chance_from <- function(law, values) {
  tails <- c(rev(cumsum(rev(chances_of(law)))), 0)  # from 0, 1, ...
  found <- tails[pmin(ifelse(values > 0, values, 1 - values) + 1, length(tails))]
  ifelse(values > 0, found, 1 - found)
}

# The smallest m with P(noise > m) <= miss.
quantile_of <- function(law, miss) which(chance_from(law, seq_along(chances_of(law))) <= miss)[1] - 1

# A part of a sum: `draws` independent noises, each `times` in it: first value and chances of one of them.
part_of <- function(law, times, draws, beyond = -Inf) {
  half <- chances_of(law)
  own <- c(rev(half), half[-1]) * (seq_len(2 * length(half) - 1) - length(half) > beyond)  # given that it is larger
  chances <- numeric(times * (length(own) - 1) + 1)
  chances[seq(1, length(chances), by = times)] <- own / sum(own)
  list(first = -times * (length(half) - 1), chances = chances, draws = draws)
}

# The law of a sum of independent parts, as one part, but for 10^-12: Fourier transforms around a circle.
summed <- function(parts) {
  draws <- vapply(parts, `[[`, 0, "draws")
  firsts <- vapply(parts, `[[`, 0, "first")
  lasts <- firsts + lengths(lapply(parts, `[[`, "chances")) - 1
  thetas <- exp(seq(log(1e-4), log(20), length.out = 40)) / max(abs(c(firsts, lasts)))
  bound <- function(sign) min(vapply(thetas, function(theta) {  # Chernoff's
    logs <- mapply(function(part, a, b) log(sum(exp(sign * theta * a:b) * part$chances)), parts, firsts, lasts)
    ceiling((log(1e12) + sum(draws * logs)) / theta)
  }, 0))
  ends <- c(sum(draws * firsts), sum(draws * lasts))
  if (any(draws > 1)) ends <- c(max(ends[1], -bound(-1)), min(ends[2], bound(1)))
  size <- 2^ceiling(log2(diff(ends) + 1))
  if (size > 2^22) refuse("the noise is too wide for this file: ask `safetab-sql statistics`")
  folded <- function(chances) rowSums(matrix(c(chances, numeric(-length(chances) %% size)), nrow = size))
  transforms <- lapply(parts, function(part) fft(folded(part$chances))^part$draws)
  around <- pmax(Re(fft(Reduce(`*`, transforms), inverse = TRUE)) / size, 0)
  list(first = ends[1], chances = around[(ends[1]:ends[2] - sum(draws * firsts)) %% size + 1], draws = 1)
}

# P(|noise| <= m) for m = 0, 1, ..., of a symmetric sum.
within_of <- function(law) {
  side <- law$chances[seq(1 - law$first, length(law$chances))]
  cumsum(c(side[1], 2 * side[-1]))
}

# The distinct rows of a data frame, sorted, with their number as `draws`.
counted <- function(...) {
  rows <- data.frame(..., row.names = NULL)
  key <- do.call(paste, c(unname(rows), sep = "|"))
  distinct <- data.frame(rows[!duplicated(key), , drop = FALSE], draws = tabulate(match(key, unique(key))))
  distinct[order(unique(key)), ]
}

# The chances that |noise| of a sum is at most 0, 1, ...
reached_by <- function(counts) {
  noise <- counted(law = counts$law, times = abs(counts$times))
  once(paste(unlist(noise), collapse = "|"), within_of(summed(Map(part_of, noise$law, noise$times, noise$draws))))
}

# --- intervals ---

# The smallest m with P(|noise| of a sum <= m) >= level.
margin_of <- function(counts, level) {
  if (nrow(counts) == 0) return(0)
  if (nrow(counts) == 1) return(abs(counts$times) * quantile_of(counts$law, (1 - level) / 2))
  reached <- reached_by(counts)
  which(reached >= level * reached[length(reached)])[1] - 1
}

# The chance that noise alone is at least as far from 0 as a sum; NA where a count was published for its size.
p_value_of <- function(counts) {
  counts <- counts[counts$times != 0, ]
  if (nrow(counts) == 0) return(1)
  if (!all(is.na(counts$above))) return(NA)
  reached <- reached_by(counts)
  beyond <- c(1, pmax(1 - reached / reached[length(reached)], 0))
  beyond[min(abs(sum(counts$times * counts$count)) + 1, length(beyond))]
}

# The largest true count that stays unpublished with a chance above 1 - level. Section 3.
largest_suppressed <- function(law, above, level) max(0, above + quantile_of(law, 1 - level))

# The interval of the true count of a total that was published because it exceeds `above`. Section 2.
ends_above <- function(law, above, count, level) {
  miss <- (1 - level) / 2
  ends <- count + c(-1, 1) * quantile_of(law, miss)
  if (is.na(above) || count > above + 2 * length(chances_of(law))) return(ends)
  true <- 0:max(0, ends[2])  # larger ones have a chance below `miss` in any case
  published <- chance_from(law, above + 1 - true)
  high <- true[max(which(chance_from(law, count + 1 - true) < (1 - miss) * published))]
  low <- true[which(chance_from(law, count - true) > miss * published)[1]]
  c(low, max(high, count, largest_suppressed(law, above, level)))
}

# How far sign * a sum may exceed sign * the true one, where some counts were published for their size. Section 5.1.
largest_error <- function(counts, sign, level) {
  miss <- (1 - level) / 2
  raised <- which(!is.na(counts$above) & sign * counts$times > 0)
  if (length(raised) == 0) return(margin_of(counts, level))
  lows <- mapply(ends_above, counts$law, counts$above, counts$count, 1 - miss / 5 / length(raised))[1, ]
  beyond <- replace(rep(-Inf, nrow(counts)), raised, (counts$above - pmax(lows, 0))[raised])
  beyond[beyond < -lengths(lapply(counts$law, chances_of))] <- -Inf
  if (all(beyond == -Inf)) return(margin_of(counts, 1 - 1.8 * miss))
  noise <- counted(law = counts$law, times = abs(counts$times), beyond = beyond)
  law <- summed(Map(part_of, noise$law, noise$times, noise$draws, noise$beyond))
  law$first + which(1 - cumsum(law$chances) <= 0.9 * miss - 1e-9)[1] - 1
}

# The estimate and the interval of a sum. Sections 1, 2 and 5.1.
sum_ends <- function(counts, level) {
  counts <- counts[counts$times != 0, ]
  estimate <- sum(counts$times * counts$count)
  if (all(is.na(counts$above))) return(estimate + c(0, -1, 1) * margin_of(counts, level))
  ends <- if (nrow(counts) == 1) range(counts$times * ends_above(counts$law, counts$above, counts$count, level))
          else estimate + c(-largest_error(counts, 1, level), largest_error(counts, -1, level))
  c(estimate, if (all(counts$times > 0)) pmax(ends, 0) else ends)
}

# The estimate and the interval of a ratio. Sections 5 and 5.1.
ratio_ends <- function(counts, level) {
  sums <- colSums(counts[c("times", "other")] * counts$count)
  estimate <- if (sums[2] > 0) sums[[1]] / sums[[2]] else NA
  is_part <- all(counts$times <= counts$other)
  if (all(is.na(counts$above)) || all(counts$times == counts$other))
    return(c(estimate, fieller(counted(law = counts$law, one = counts$times, other = counts$other), sums, level)))
  half <- (1 + level) / 2
  a <- pmax(sum_ends(counts, half)[-1], 0)
  b <- pmax(sum_ends(transform(counts, times = other - times * is_part), half)[-1], 0)
  ends <- c(if (b[2] > 0) a[1] / b[2] else 0, if (b[1] > 0) a[2] / b[1] else Inf)
  c(estimate, if (is_part) c(ends[1] / (1 + ends[1]), 1 - 1 / (1 + ends[2])) else ends)
}

# The least and the greatest ratio that the noise allows: Fieller's method.
fieller <- function(terms, sums, level) {
  v <- variances_of(terms)
  squared <- deviations_of(terms, v, level)^2
  a <- sums[[2]]^2 - squared * v[2]
  b <- sums[[1]] * sums[[2]] - squared * v[3]
  c <- sums[[1]]^2 - squared * v[1]
  most <- if (all(terms$one <= terms$other)) 1 else Inf
  root <- sqrt(max(b^2 - a * c, 0))
  if (a > 0 && sums[[2]] > 0) return(pmin(pmax((b + c(-root, root)) / a, 0), most))
  if (a <= 0 && b^2 > a * c) {  # all but what is between two bounds
    larger <- b + if (b < 0) -root else root
    bounds <- sort(c(larger / min(a, -1e-300), c / larger))
    if (bounds[1] < 0 && bounds[2] > 0 && bounds[2] <= most) return(c(bounds[2], most))
    if (bounds[1] >= 0 && bounds[1] <= most && bounds[2] > most) return(c(0, bounds[1]))
  }
  c(0, most)
}

# The variances of the noise of the one sum, of the other one, and of what both share.
variances_of <- function(terms) {
  spreads <- terms$draws * vapply(terms$law, variance, 0)
  c(sum(terms$one^2 * spreads), sum(terms$other^2 * spreads), sum(terms$one * terms$other * spreads))
}

# How many deviations hold the noise of one - r other, whatever r is: the most of directions 7.5 degrees apart.
deviations_of <- function(terms, v, level) {
  beyond <- once(paste("ratio", unlist(terms), collapse = "|"), {
    rest <- v[2] - v[3]^2 / v[1]
    last <- atan2(sqrt(max(rest, 0)), (all(terms$one <= terms$other) * v[1] - v[3]) / sqrt(v[1]))
    steps <- max(1, ceiling(last / (pi / 24) - 1e-9))
    angles <- if (rest > 1e-12 * v[2]) last * (0:steps) / steps else 0
    y <- sin(angles) / sqrt(max(rest, 1e-300))
    found <- Map(function(x, y) beyond_of(terms, x, y), cos(angles) / sqrt(v[1]) + y * v[3] / v[1], y)
    do.call(pmax, lapply(found, function(own) c(own, rep(own[length(own)], max(lengths(found)) - length(own)))))
  })
  1.005 * (which(beyond <= 1 - level)[1] - 1) / 800
}

# The chance that x * one - y * other is beyond m / 800 of its deviations, m = 0, 1, ...: rounded outward on a lattice.
beyond_of <- function(terms, x, y) {
  terms$weight <- abs(x * terms$one - y * terms$other)
  terms <- terms[terms$weight > 1e-9, ]
  step <- sqrt(sum(terms$weight^2 * terms$draws * vapply(terms$law, variance, 0))) / 400
  beyond <- pmin(1 + 1e-9 - within_of(summed(Map(function(law, draws, scale) {
    own <- once(paste("sum", law, draws), summed(list(part_of(law, 1, draws))))
    places <- round(scale * (own$first + seq_along(own$chances) - 1))
    chances <- numeric(diff(range(places)) + 1)
    chances[unique(places) - min(places) + 1] <- rowsum(own$chances, places, reorder = FALSE)
    list(first = min(places), chances = chances, draws = 1)
  }, terms$law, terms$draws, terms$weight / step))), 1)
  beyond <- beyond[seq_len(which(beyond < 1e-8)[1])]
  c(rep(1, nrow(terms)), rep(beyond, each = 2))[seq_len(nrow(terms) + 2 * length(beyond) - 1)]
}
