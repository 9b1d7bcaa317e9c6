# Reader studies, fitted ratings and folds analysed straight from the published formulas.
#
# Run from the repository root:   Rscript tests/data/readers/analyse.R
# Reads:                          tests/data/readers/*.csv, made by simulate.py
# Writes:                         tests/data/readers/analyse.json
#
# Base R alone. Areas are counted over pairs, partial areas summed over the pieces of the curve,
# influence is a difference quotient in the weight of a case, the jackknife leaves out every case,
# and the moments of the U-statistic are sums over all pairs of triples.

folder <- file.path("tests", "data", "readers")
input <- function(name) read.csv(file.path(folder, paste0(name, ".csv")))

# Measures of positives x and negatives y with weights v and w

auc <- function(x, y, v = rep(1, length(x)), w = rep(1, length(y))) {
  kernel <- outer(x, y, ">") + 0.5 * outer(x, y, "==")
  sum(outer(v, w) * kernel) / (sum(v) * sum(w))
}

# The area below the straight lines through the operating points, for FPR 0 to 0.2.
partial <- function(x, y, v = rep(1, length(x)), w = rep(1, length(y))) {
  cuts <- sort(unique(c(x, y)), decreasing = TRUE)
  fpr <- c(0, vapply(cuts, function(t) sum(w[y >= t]), 1) / sum(w))
  tpr <- c(0, vapply(cuts, function(t) sum(v[x >= t]), 1) / sum(v))
  area <- 0
  for (k in seq_along(cuts)) {
    left <- fpr[k]
    right <- min(fpr[k + 1], 0.2)
    if (right <= left) next
    height <- tpr[k] + (tpr[k + 1] - tpr[k]) * (right - left) / (fpr[k + 1] - fpr[k])
    area <- area + (right - left) * (tpr[k] + height) / 2
  }
  area
}

# Cells: estimates, and what each case contributes to each

cells_of <- function(data, measure, how) {
  cells <- unique(data[c("modality", "reader")])
  cells <- cells[order(cells$modality, cells$reader), ]
  cases <- sort(unique(data$case))
  z <- matrix(0, nrow(cells), length(cases))
  value <- numeric(nrow(cells))
  for (k in seq_len(nrow(cells))) {
    d <- data[data$modality == cells$modality[k] & data$reader == cells$reader[k], ]
    positive <- d$label == 1
    of_all <- function(weight) {
      measure(d$score[positive], d$score[!positive], weight[positive], weight[!positive])
    }
    ones <- rep(1, nrow(d))
    value[k] <- of_all(ones)
    if (how == "influence") {
      step <- 1e-4
      slope <- vapply(seq_len(nrow(d)), function(i) {
        more <- replace(ones, i, 1 + step)
        less <- replace(ones, i, 1 - step)
        (of_all(more) - of_all(less)) / (2 * step)
      }, 1)
      n <- ifelse(positive, sum(positive), sum(!positive))
      contribution <- slope * sqrt(n / (n - 1))
    } else {
      left <- vapply(seq_len(nrow(d)), function(i) of_all(replace(ones, i, 0)), 1)
      contribution <- sqrt((nrow(d) - 1) / nrow(d)) * (left - mean(left))
    }
    z[k, match(d$case, cases)] <- contribution
  }
  list(cells = cells, value = value, cov = z %*% t(z))
}

# Obuchowski and Rockette (1995) with the degrees of freedom of Hillis (2007)

analysis <- function(f) {
  reader <- f$cells$reader
  modality <- f$cells$modality
  same_reader <- outer(reader, reader, "==")
  same_modality <- outer(modality, modality, "==")
  error <- mean(diag(f$cov))
  cov1 <- mean(f$cov[same_reader & !same_modality])
  cov2 <- mean(f$cov[!same_reader & same_modality])
  cov3 <- mean(f$cov[!same_reader & !same_modality])
  r <- length(unique(reader))
  m <- length(unique(modality))
  table <- matrix(f$value, r, m)
  by_modality <- colMeans(table)
  ms_r <- m * var(rowMeans(table))
  if (m == 1) {
    variance <- ms_r / r + max(cov2, 0)
    return(list(
      mean = by_modality, se = sqrt(variance), df = variance^2 / ((ms_r / r)^2 / (r - 1)),
      error = error, cov2 = cov2, ms_reader = ms_r, reader = ms_r - error + cov2
    ))
  }
  rest <- table - outer(rowMeans(table), by_modality, "+") + mean(table)
  ms_rm <- sum(rest^2) / ((r - 1) * (m - 1))
  ms_m <- r * var(by_modality)
  bottom <- ms_rm + max(r * (cov2 - cov3), 0)
  df <- bottom^2 / (ms_rm^2 / ((m - 1) * (r - 1)))
  averaging <- outer(sort(unique(modality)), modality, "==") / r
  of_means <- averaging %*% f$cov %*% t(averaging)
  contrasts <- cbind(diag(m - 1), -1)
  d <- contrasts %*% by_modality
  wald <- drop(t(d) %*% solve(contrasts %*% of_means %*% t(contrasts)) %*% d)
  found <- list(
    means = by_modality, error = error, cov1 = cov1, cov2 = cov2, cov3 = cov3, ms_reader = ms_r,
    ms_reader_by_modality = ms_rm, reader = (ms_r - ms_rm) / m - cov1 + cov3,
    reader_by_modality = ms_rm - error + cov1 + max(cov2 - cov3, 0),
    f = ms_m / bottom, df_denominator = df, p = pf(ms_m / bottom, m - 1, df, lower.tail = FALSE),
    wald = wald, p_fixed_readers = pchisq(wald, m - 1, lower.tail = FALSE)
  )
  if (m > 2) return(found)
  variance <- 2 / r * bottom
  fixed <- drop(contrasts %*% of_means %*% t(contrasts))
  difference <- by_modality[1] - by_modality[2]
  half <- qt(0.975, df) * sqrt(variance)
  alone <- 2 / r * ms_rm
  c(found, list(
    difference = difference, se = sqrt(variance), df = df, low = difference - half,
    high = difference + half, se_fixed_readers = sqrt(fixed),
    df_conservative = fixed^2 / (alone^2 / (r - 1)), se_fixed_cases = sqrt(alone),
    p_fixed_cases = 2 * pt(-abs(difference) / sqrt(alone), r - 1)
  ))
}

# The same difference where readers read other cases, or some were not read: d_r of each reader,
# and the covariances of different readers alone.
split_plot <- function(f) {
  reader <- f$cells$reader
  r <- length(unique(reader))
  sign <- ifelse(f$cells$modality == 1, 1, -1) / r
  average <- ave(f$value, f$cells$modality)
  d <- tapply(sign * (f$value - average), reader, sum)
  products <- outer(sign, sign) * f$cov
  among <- r / (r - 1) * sum(d^2)
  shared <- r / (r - 1) * sum(products[outer(reader, reader, "!=")])
  variance <- among + max(shared, 0)
  list(
    difference = sum(sign * f$value), se = sqrt(variance),
    df = variance^2 / (among^2 / (r - 1)), se_fixed_readers = sqrt(sum(products))
  )
}

# Gallas (2006): mean products of two kernels by what their triples share

triples <- function(data, modality) {
  d <- data[data$modality == modality, ]
  by_reader <- lapply(split(d, d$reader), function(e) {
    x <- e[e$label == 1, ]
    y <- e[e$label == 0, ]
    at <- expand.grid(i = seq_len(nrow(x)), j = seq_len(nrow(y)))
    kernel <- (x$score[at$i] > y$score[at$j]) + 0.5 * (x$score[at$i] == y$score[at$j])
    data.frame(r = e$reader[1], i = x$case[at$i], j = y$case[at$j], s = kernel)
  })
  do.call(rbind, by_reader)
}

covariance_of_two <- function(a, b) {
  top <- bottom <- numeric(8)
  for (k in seq_len(nrow(a))) {
    kind <- 1 + (b$r == a$r[k]) + 2 * (b$i == a$i[k]) + 4 * (b$j == a$j[k])
    bottom <- bottom + tabulate(kind, 8)
    top <- top + vapply(1:8, function(e) sum(b$s[kind == e]), 1) * a$s[k]
  }
  pairs <- as.numeric(nrow(a)) * nrow(b)
  moments <- ifelse(bottom > 0, top / bottom, 0)
  sum(bottom / pairs * moments) - moments[1]
}

u_statistic <- function(data) {
  a <- triples(data, 1)
  b <- triples(data, 2)
  list(
    difference = mean(a$s) - mean(b$s),
    variance = covariance_of_two(a, a) + covariance_of_two(b, b) - 2 * covariance_of_two(a, b)
  )
}

# Fitted ratings: all parameters at once by optim, standard errors from its Hessian

fitted <- function(data, model) {
  levels <- sort(unique(data$score))
  counts <- sapply(c(1, 0), function(k) table(factor(data$score[data$label == k], levels)))
  cuts_of <- function(p) cumsum(c(p[3], exp(p[-(1:3)])))
  shares <- function(p) {
    t <- c(-Inf, cuts_of(p), Inf)
    above <- if (model == "binormal") pnorm(p[1] - p[2] * t) else {
      (1 - p[2]) * pnorm(-t) + p[2] * pnorm(p[1] - t)
    }
    cbind(-diff(above), diff(pnorm(t)))
  }
  minus <- function(p) {
    q <- shares(p)
    if (any(!is.finite(q)) || any(q <= 0)) 1e10 else -sum(counts * log(q))
  }
  above <- rev(cumsum(rev(counts[, 2])))[-1] / sum(counts[, 2])
  start <- qnorm(1 - (above * 0.98 + 0.01))
  p <- c(if (model == "binormal") c(1.3, 0.8) else c(2, 0.8), start[1], log(diff(start)))
  for (round in 1:20) p <- optim(p, minus, control = list(maxit = 5000, reltol = 1e-15))$par
  p <- optim(p, minus, method = "BFGS", control = list(maxit = 5000, reltol = 1e-16))$par
  inverse <- solve(optimHess(p, minus, control = list(ndeps = rep(1e-4, length(p)))))
  area <- function(p) {
    if (model == "binormal") pnorm(p[1] / sqrt(1 + p[2]^2)) else {
      (1 - p[2]) / 2 + p[2] * pnorm(p[1] / sqrt(2))
    }
  }
  slope <- vapply(1:2, function(k) {
    step <- replace(numeric(length(p)), k, 1e-5)
    (area(p + step) - area(p - step)) / 2e-5
  }, 1)
  list(
    first = p[1], second = p[2], loglik = -minus(p), auc = area(p),
    auc_se = sqrt(drop(t(slope) %*% inverse[1:2, 1:2] %*% slope)),
    se_first = sqrt(inverse[1, 1]), se_second = sqrt(inverse[2, 2])
  )
}

# The AUC within folds (LeDell, Petersen and van der Laan 2015): class shares of all rows, n below
in_folds <- function(data, unit) {
  share <- c(mean(data$label == 0), mean(data$label == 1))
  values <- squares <- numeric(0)
  for (d in split(data, data$fold)) {
    x <- d$score[d$label == 1]
    y <- d$score[d$label == 0]
    value <- auc(x, y)
    place <- ifelse(d$label == 1, vapply(d$score, function(s) mean(y < s), 1),
                    vapply(d$score, function(s) mean(x > s), 1))
    influence <- (place - value) / share[d$label + 1]
    sums <- tapply(influence, unit[match(rownames(d), rownames(data))], sum)
    values <- c(values, value)
    squares <- c(squares, mean(sums^2))
  }
  list(value = mean(values),
       se = sqrt(mean(squares) * length(unique(unit))) / nrow(data))
}

factorial <- input("factorial")
agreeing <- input("agreeing")
three <- input("three_modalities")
first_reader <- factorial[factorial$reader == 1 & factorial$modality == 1, ]
folds <- input("folds")
pair <- function(data, a, b) data[data$modality %in% c(a, b), ]

results <- list(
  factorial_auc = analysis(cells_of(factorial, auc, "influence")),
  factorial_auc_jackknife = analysis(cells_of(factorial, auc, "jackknife")),
  factorial_partial = analysis(cells_of(factorial, partial, "influence")),
  factorial_partial_jackknife = analysis(cells_of(factorial, partial, "jackknife")),
  factorial_u = u_statistic(factorial),
  one_modality = analysis(cells_of(factorial[factorial$modality == 2, ], auc, "influence")),
  agreeing_auc = analysis(cells_of(agreeing, auc, "influence")),
  agreeing_u = u_statistic(agreeing),
  three_auc = analysis(cells_of(three, auc, "influence")),
  three_1_2 = analysis(cells_of(pair(three, 1, 2), auc, "influence")),
  three_1_3 = analysis(cells_of(pair(three, 1, 3), auc, "influence")),
  three_2_3 = analysis(cells_of(pair(three, 2, 3), auc, "influence")),
  split_plot_auc = split_plot(cells_of(input("split_plot"), auc, "influence")),
  split_plot_u = u_statistic(input("split_plot")),
  binormal = fitted(first_reader, "binormal"),
  contaminated = fitted(first_reader, "contaminated"),
  folds_by_rows = in_folds(folds, seq_len(nrow(folds))),
  folds_by_subjects = in_folds(folds, folds$subject)
)

number <- function(x) {
  digits <- formatC(x, digits = 15, format = "g", width = 1)
  if (length(x) == 1) digits else paste0("[", paste(digits, collapse = ", "), "]")
}
object <- function(x) {
  paste0("{", paste0("\"", names(x), "\": ", vapply(x, number, ""), collapse = ", "), "}")
}
writeLines(c(
  "{",
  paste0("  \"r\": \"", R.version.string, "\","),
  paste0("  \"", names(results), "\": ", vapply(results, object, ""), collapse = ",\n"),
  "}"
), file.path(folder, "analyse.json"))
