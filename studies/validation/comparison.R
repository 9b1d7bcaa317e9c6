# Intervals and tests of pROC for the samples written by comparison.py.
#
# Rscript comparison.R FOLDER KIND RESAMPLED RESAMPLES SEED UPTO...
#
# FOLDER contains labels.csv (one row), a.csv and, for tests, b.csv (one sample per row). All samples
# are used for the AUC, and the first RESAMPLED for partial areas. FOLDER/results.csv is written;
# errors of pROC are NA.

suppressMessages(library(pROC))

args <- commandArgs(trailingOnly = TRUE)
folder <- args[1]
kind <- args[2]
resampled <- as.integer(args[3])
resamples <- as.integer(args[4])
set.seed(as.integer(args[5]))
upto <- args[-(1:5)]

table_of <- function(name) as.matrix(read.csv(file.path(folder, name), header = FALSE))

labels <- as.vector(table_of("labels.csv"))
a <- table_of("a.csv")
b <- if (kind == "tests") table_of("b.csv")

curve <- function(scores, ...) {
  roc(labels, as.vector(scores), levels = c(0, 1), direction = "<", quiet = TRUE, ...)
}

or_na <- function(expression, n) {
  tryCatch(suppressWarnings(expression), error = function(e) rep(NA_real_, n))
}

# The two ends of an interval, or the p-value of a test; `partial` is NULL for the whole area.
answer <- function(i, partial) {
  given <- if (is.null(partial)) list() else {
    list(partial.auc = c(1, 1 - partial), partial.auc.focus = "specificity")
  }
  method <- if (is.null(partial)) "delong" else "bootstrap"
  first <- do.call(curve, c(list(a[i, ]), given))
  if (kind == "estimates") {
    ends <- or_na(as.numeric(ci.auc(first, method = method, boot.n = resamples,
                                    progress = "none")), 3)
    return(c(ends[1], ends[3]))
  }
  second <- do.call(curve, c(list(b[i, ]), given))
  or_na(roc.test(first, second, method = method, paired = TRUE, boot.n = resamples,
                 progress = "none")$p.value, 1)
}

rows <- list()
for (region in c("all", upto)) {
  partial <- if (region != "all") as.numeric(region)
  n <- if (is.null(partial)) nrow(a) else resampled
  found <- lapply(seq_len(n), function(i) {
    if (i %% 100 == 0) message("pROC, ", region, ": ", i, " of ", n)
    answer(i, partial)
  })
  found <- do.call(rbind, found)
  method <- if (is.null(partial)) "DeLong" else "bootstrap"
  if (kind == "estimates") {
    method <- paste0(method, if (is.null(partial)) ", Wald" else ", percentile")
  }
  measure <- if (is.null(partial)) "AUC" else paste("PAUC", region)
  text <- function(x) ifelse(is.finite(x), formatC(x, digits = 17, format = "g"), "NA")
  rows[[region]] <- if (kind == "estimates") {
    data.frame(method, measure, low = text(found[, 1]), high = text(found[, 2]), pvalue = "")
  } else {
    data.frame(method, measure, low = "", high = "", pvalue = text(found[, 1]))
  }
}
write.csv(do.call(rbind, rows), file.path(folder, "results.csv"), row.names = FALSE)
