# Reference values from pROC for the pauci test suite.
#
# Run from the repository root:   Rscript tests/data/proc.R
# Writes:                         tests/data/proc.json
#
# Every roc object is built with explicit levels = c(0, 1) (control, case) and
# direction = "<" (cases score higher), percent = FALSE, quiet = TRUE.

suppressPackageStartupMessages(library(pROC))

out_file <- file.path("tests", "data", "proc.json")

# ---------------------------------------------------------------- helpers ----

# Evaluate `expr`; give back its value with every warning (or the error) as text.
catching <- function(expr) {
  notes <- character(0)
  value <- tryCatch(
    withCallingHandlers(expr, warning = function(w) {
      notes <<- c(notes, conditionMessage(w))
      invokeRestart("muffleWarning")
    }),
    error = function(e) {
      notes <<- c(notes, paste0("error: ", conditionMessage(e)))
      NA_real_
    }
  )
  list(value = value, notes = notes)
}

# A list element that jsonlite writes as null.
null_or <- function(x) {
  if (length(x) == 0 || is.na(x)) NULL else as.numeric(x)
}

notes_or_null <- function(notes) {
  if (length(notes) == 0) NULL else paste(notes, collapse = " | ")
}

# A small JSON writer. jsonlite stops at 15 significant digits, too few for a
# double to read back exactly; here each number takes the fewest digits (15, 16
# or 17) that do. Vectors marked with I() are arrays whatever their length.
number_text <- function(x) {
  if (is.na(x)) return("null")
  stopifnot(is.finite(x))
  for (digits in 15:17) {
    text <- sprintf("%.*g", digits, x)
    if (identical(as.numeric(text), as.numeric(x))) break
  }
  text
}

string_text <- function(x) {
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  x <- gsub("[[:cntrl:]]+", " ", x)
  paste0("\"", x, "\"")
}

to_json <- function(x, indent = "") {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    if (length(x) == 0) return("[]")
    deeper <- paste0(indent, " ")
    items <- vapply(x, to_json, "", indent = deeper)
    if (!is.null(names(x)))
      items <- paste0(string_text(names(x)), ": ", items)
    ends <- if (is.null(names(x))) c("[", "]") else c("{", "}")
    return(paste0(ends[1], "\n", deeper,
                  paste(items, collapse = paste0(",\n", deeper)),
                  "\n", indent, ends[2]))
  }
  text <- if (is.character(x)) string_text(x)
    else if (is.logical(x)) ifelse(is.na(x), "null", tolower(as.character(x)))
    else vapply(x, number_text, "")
  if (length(text) == 1 && !inherits(x, "AsIs")) text
  else paste0("[", paste(text, collapse = ", "), "]")
}

# list(...) drops nothing, even when a value is NULL.
entry <- function(...) list(...)

as_roc <- function(labels, scores) {
  roc(response = labels, predictor = scores, levels = c(0, 1),
      direction = "<", percent = FALSE, quiet = TRUE)
}

# ---------------------------------------------------------------- regions ----

fpr_regions <- list(c(0, 0.1), c(0, 0.2), c(0.1, 0.3), c(1 / 3, 2 / 3),
                    c(0, 1), c(0.2, 1))
tpr_regions <- list(c(0.8, 1), c(0.9, 1), c(0.5, 0.75), c(0, 1), c(0, 0.4))

one_pauc <- function(r, region, focus) {
  ends <- if (focus == "specificity") 1 - region else region
  raw <- catching(as.numeric(auc(r, partial.auc = ends,
                                 partial.auc.focus = focus,
                                 partial.auc.correct = FALSE)))
  std <- catching(as.numeric(auc(r, partial.auc = ends,
                                 partial.auc.focus = focus,
                                 partial.auc.correct = TRUE)))
  entry(lo = region[1], hi = region[2],
        area = null_or(raw$value), area_warning = notes_or_null(raw$notes),
        corrected = null_or(std$value),
        corrected_warning = notes_or_null(std$notes))
}

one_classifier <- function(labels, scores) {
  r <- as_roc(labels, scores)
  v <- catching(as.numeric(var(r, method = "delong")))
  ci <- catching(as.numeric(ci.auc(r, conf.level = 0.95, method = "delong")))
  entry(
    auc = as.numeric(auc(r)),
    delong_var = null_or(v$value), delong_var_warning = notes_or_null(v$notes),
    delong_ci95 = entry(lower = ci$value[1], auc = ci$value[2],
                        upper = ci$value[3]),
    delong_ci95_warning = notes_or_null(ci$notes),
    pauc_fpr = lapply(fpr_regions, one_pauc, r = r, focus = "specificity"),
    pauc_tpr = lapply(tpr_regions, one_pauc, r = r, focus = "sensitivity")
  )
}

one_pair <- function(labels, scores, a, b) {
  ra <- as_roc(labels, scores[[a]])
  rb <- as_roc(labels, scores[[b]])
  cv <- catching(as.numeric(cov(ra, rb, method = "delong")))
  tt <- catching(roc.test(ra, rb, paired = TRUE, method = "delong",
                          alternative = "two.sided"))
  t <- tt$value
  limits <- if (is.null(t$conf.int)) NULL else as.numeric(t$conf.int)
  entry(first = a, second = b,
        delong_cov = null_or(cv$value),
        delong_cov_warning = notes_or_null(cv$notes),
        z = unname(as.numeric(t$statistic)), p_value = as.numeric(t$p.value),
        auc_first = as.numeric(t$estimate[1]),
        auc_second = as.numeric(t$estimate[2]),
        diff_ci95 = if (is.null(limits)) NULL else
          entry(lower = limits[1], upper = limits[2]),
        test_warning = notes_or_null(tt$notes))
}

# ------------------------------------------------------------------- data ----

RNGkind("Mersenne-Twister", "Inversion", "Rejection")
cases <- list()

# 1. Subarachnoid haemorrhage data that come with pROC; all 113 rows, in order.
data(aSAH)
cases$asah <- list(
  about = "pROC's aSAH; 1 = outcome Poor, 0 = outcome Good; all 113 patients",
  labels = as.integer(aSAH$outcome == "Poor"),
  scores = list(wfns = as.integer(as.character(aSAH$wfns)),
                s100b = aSAH$s100b, ndka = aSAH$ndka))

# 2. Continuous, untied, two correlated classifiers.
set.seed(20240501)
labels <- c(rep(1L, 23), rep(0L, 37))
shared <- rnorm(60)
cases$continuous <- list(
  about = "untied normal scores, correlated classifiers; n1 = 23, n0 = 37",
  labels = labels,
  scores = list(a = 1.1 * labels + 0.8 * shared + 0.6 * rnorm(60),
                b = 0.6 * labels + 0.8 * shared + 0.6 * rnorm(60)))
stopifnot(vapply(cases$continuous$scores, anyDuplicated, 0L) == 0L)

# 3. Heavy ties: whole numbers 0..6.
set.seed(20240502)
labels <- c(rep(1L, 40), rep(0L, 60))
shared <- rnorm(100)
grade <- function(x) as.integer(pmin(6, pmax(0, round(3 + 1.5 * x))))
cases$ties <- list(
  about = "whole-number scores 0..6, heavy ties; n1 = 40, n0 = 60",
  labels = labels,
  scores = list(a = grade(0.9 * labels - 0.3 + 0.7 * shared + 0.7 * rnorm(100)),
                b = grade(0.4 * labels - 0.2 + 0.7 * shared + 0.7 * rnorm(100))))

# 4. Few cases against many controls, scores to one decimal.
set.seed(20240503)
labels <- c(rep(1L, 8), rep(0L, 150))
shared <- rnorm(158)
cases$imbalanced <- list(
  about = "n1 = 8, n0 = 150, scores rounded to one decimal",
  labels = labels,
  scores = list(a = round(1.2 * labels + 0.6 * shared + 0.8 * rnorm(158), 1),
                b = round(0.2 * labels + 0.6 * shared + 0.8 * rnorm(158), 1)))

# 5. The 20 instances of Fawcett (2006), "An introduction to ROC analysis".
cases$fawcett <- list(
  about = "20-instance example of Fawcett (2006); n1 = n0 = 10",
  labels = c(1L, 1L, 0L, 1L, 1L, 1L, 0L, 0L, 1L, 0L,
             1L, 0L, 1L, 0L, 0L, 0L, 1L, 0L, 1L, 0L),
  scores = list(score = c(.9, .8, .7, .6, .55, .54, .53, .52, .51, .505,
                          .4, .39, .38, .37, .36, .35, .34, .33, .30, .1)))

# 6. A worse-than-chance classifier: the corrected area has no value in places.
#    Case 5 with the score turned round.
cases$below_chance <- list(
  about = "case fawcett with 1 - score: below the diagonal",
  labels = cases$fawcett$labels,
  scores = list(reversed = round(1 - cases$fawcett$scores$score, 3)))

# 7. A perfect classifier, untied.
cases$perfect <- list(
  about = "complete separation; n1 = 5, n0 = 7",
  labels = c(rep(1L, 5), rep(0L, 7)),
  scores = list(score = c(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)))

# ----------------------------------------------------------------- results ---

result_of_case <- function(case) {
  stopifnot(!anyNA(unlist(case$scores)), length(unique(case$labels)) == 2L)
  names_of <- names(case$scores)
  pairs <- if (length(names_of) < 2) list() else
    apply(combn(names_of, 2), 2,
          function(p) one_pair(case$labels, case$scores, p[1], p[2]),
          simplify = FALSE)
  entry(about = case$about,
        n1 = sum(case$labels == 1L), n0 = sum(case$labels == 0L),
        labels = I(case$labels), scores = lapply(case$scores, I),
        classifiers = lapply(case$scores, one_classifier, labels = case$labels),
        pairs = pairs)
}

one_unpaired <- function(case_a, name_a, case_b, name_b) {
  ra <- as_roc(cases[[case_a]]$labels, cases[[case_a]]$scores[[name_a]])
  rb <- as_roc(cases[[case_b]]$labels, cases[[case_b]]$scores[[name_b]])
  tt <- catching(roc.test(ra, rb, paired = FALSE, method = "delong",
                          alternative = "two.sided"))
  t <- tt$value
  limits <- if (is.null(t$conf.int)) NULL else as.numeric(t$conf.int)
  entry(first = entry(case = case_a, classifier = name_a),
        second = entry(case = case_b, classifier = name_b),
        D = unname(as.numeric(t$statistic)), df = unname(as.numeric(t$parameter)),
        p_value = as.numeric(t$p.value),
        auc_first = as.numeric(t$estimate[1]),
        auc_second = as.numeric(t$estimate[2]),
        diff_ci95 = if (is.null(limits)) NULL else
          entry(lower = limits[1], upper = limits[2]),
        test_warning = notes_or_null(tt$notes))
}

unpaired <- list(
  one_unpaired("continuous", "a", "ties", "a"),
  one_unpaired("asah", "s100b", "continuous", "b"),
  one_unpaired("imbalanced", "a", "fawcett", "score"))

# Stratified bootstrap: reference only to Monte Carlo accuracy.
boot_n <- 10000L
boot_seed <- 20240504L
boot_scores <- cases$asah$scores[c("s100b", "ndka")]
bootstrap <- lapply(list(c(0, 0.1), c(0, 0.2)), function(region) {
  rocs <- lapply(boot_scores, function(s) {
    roc(cases$asah$labels, s, levels = c(0, 1), direction = "<",
        percent = FALSE, quiet = TRUE, partial.auc = 1 - region,
        partial.auc.focus = "specificity", partial.auc.correct = FALSE)
  })
  se <- lapply(rocs, function(r) {
    set.seed(boot_seed)
    v <- catching(var(r, method = "bootstrap", boot.n = boot_n,
                      boot.stratified = TRUE, reuse.auc = TRUE,
                      progress = "none"))
    entry(area = as.numeric(r$auc), se = sqrt(as.numeric(v$value)),
          warning = notes_or_null(v$notes))
  })
  set.seed(boot_seed)
  tt <- catching(roc.test(rocs$s100b, rocs$ndka, paired = TRUE,
                          method = "bootstrap", boot.n = boot_n,
                          boot.stratified = TRUE, reuse.auc = TRUE,
                          alternative = "two.sided", progress = "none"))
  t <- tt$value
  d <- unname(as.numeric(t$statistic))
  diff <- as.numeric(t$estimate[1]) - as.numeric(t$estimate[2])
  entry(lo = region[1], hi = region[2], classifiers = se,
        paired_difference = entry(
          first = "s100b", second = "ndka", difference = diff,
          D = d, sd = diff / d, p_value = as.numeric(t$p.value),
          warning = notes_or_null(tt$notes)))
})

fixtures <- entry(
  header = entry(
    r_version = R.version.string,
    proc_version = as.character(packageVersion("pROC")),
    levels = "0 = control, 1 = case", direction = "<", percent = FALSE,
    conf_level = 0.95),
  cases = lapply(cases, result_of_case),
  unpaired = unpaired,
  bootstrap = entry(
    caveat = paste(
      "Monte Carlo values. With 10000 replicates a standard error carries a",
      "relative Monte Carlo error near 0.7 %, more where the replicates are",
      "heavy-tailed; and the bootstrap itself is not an analytic variance.",
      "Compare loosely (10-15 %)."),
    case = "asah", focus = "fpr", stratified = TRUE,
    boot_n = boot_n, seed = boot_seed, regions = bootstrap))

con <- file(out_file, open = "wb")
writeLines(to_json(fixtures), con, sep = "\n")
close(con)
cat("wrote", out_file, file.size(out_file), "bytes\n")
