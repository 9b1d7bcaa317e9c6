# What pROC says about the data of the page on migration.
#
# Run from the repository root:   Rscript docs/migration.R
# Writes:                         docs/migration.json
#
# The page runs the same calls in pauci and compares. Bootstraps have a fixed seed. Curves are
# made with levels = c(0, 1) and direction = "<", so that nothing is guessed.

suppressMessages(library(pROC))

set.seed(1)

frame <- read.csv(file.path("data", "ljubljana_scores.csv"))
curve <- function(scores, ...) {
  roc(frame$recurrence, scores, levels = c(0, 1), direction = "<", quiet = TRUE, ...)
}
svm <- curve(frame$svm)
nn <- curve(frame$nn)

part <- function(roc, ...) as.numeric(auc(roc, ...))
low_fpr <- c(1, 0.9)
high_tpr <- c(1, 0.8)

ends <- function(interval) as.numeric(interval)[c(1, 3)]
paired <- roc.test(svm, nn, method = "delong", paired = TRUE)
unpaired <- roc.test(svm, nn, method = "delong", paired = FALSE)
partial <- list(partial.auc = low_fpr, partial.auc.focus = "specificity")
svm_part <- do.call(curve, c(list(frame$svm), partial))
nn_part <- do.call(curve, c(list(frame$nn), partial))
boot_test <- roc.test(svm_part, nn_part, method = "bootstrap", paired = TRUE, progress = "none")
at_se <- ci.se(svm, specificities = 0.9, progress = "none")
at_sp <- ci.sp(svm, sensitivities = 0.8, progress = "none")
at_threshold <- coords(svm, x = 0, input = "threshold",
                       ret = c("threshold", "specificity", "sensitivity", "ppv", "npv"))
at_specificity <- coords(svm, x = 0.9, input = "specificity", ret = c("specificity", "sensitivity"))
best <- coords(svm, x = "best", best.method = "youden",
               ret = c("threshold", "specificity", "sensitivity"))

# Sample sizes, for pROC's own data aSAH (Turck et al. 2010).
data(aSAH)
of <- function(marker) {
  roc(aSAH$outcome, aSAH[[marker]], levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
}
s100b <- of("s100b")
ndka <- of("ndka")
cases <- function(first, second) power.roc.test(first, second, power = 0.9)$ncases

# The variance of a fitted binormal AUC, times the number of cases, and the covariance of that AUC
# with itself, which should be the same number. The functions are internal to pROC.
a <- sqrt(2) * qnorm(0.85)
own_variance <- pROC:::var.params.obuchowski(A = a, B = 1, kappa = 1)
with_itself <- pROC:::cov.params.obuchowski(A1 = a, B1 = 1, A2 = a, B2 = 1, rn = 1, ra = 1,
                                            kappa = 1)

results <- list(
  r = R.version.string,
  proc = as.character(packageVersion("pROC")),
  seed = 1,
  auc = part(svm),
  auc_variance = var(svm, method = "delong"),
  auc_low = ends(ci.auc(svm))[1],
  auc_high = ends(ci.auc(svm))[2],
  covariance = cov(svm, nn, method = "delong"),
  partial_specificity = part(svm, partial.auc = low_fpr, partial.auc.focus = "specificity"),
  partial_sensitivity = part(svm, partial.auc = high_tpr, partial.auc.focus = "sensitivity"),
  corrected = part(svm, partial.auc = low_fpr, partial.auc.focus = "specificity",
                   partial.auc.correct = TRUE),
  corrected_sensitivity = part(svm, partial.auc = high_tpr, partial.auc.focus = "sensitivity",
                               partial.auc.correct = TRUE),
  partial_low = ends(ci.auc(svm_part, progress = "none"))[1],
  partial_high = ends(ci.auc(svm_part, progress = "none"))[2],
  paired_statistic = unname(paired$statistic),
  paired_pvalue = paired$p.value,
  unpaired_statistic = unname(unpaired$statistic),
  unpaired_df = unname(unpaired$parameter),
  unpaired_pvalue = unpaired$p.value,
  partial_statistic = unname(boot_test$statistic),
  partial_pvalue = boot_test$p.value,
  ci_se = as.numeric(at_se),
  ci_sp = as.numeric(at_sp),
  threshold = as.numeric(unlist(at_threshold)),
  at_specificity = as.numeric(unlist(at_specificity)),
  best = as.numeric(unlist(best)),
  cases = cases(s100b, ndka),
  cases_swapped = cases(ndka, s100b),
  asah_variances = c(var(s100b), var(ndka)),
  asah_covariance = cov(s100b, ndka),
  asah_difference = part(s100b) - part(ndka),
  asah_n = c(length(s100b$cases), length(s100b$controls)),
  binormal_variance = own_variance,
  binormal_with_itself = with_itself
)

# A small writer: 17 significant digits, so that numbers read back as they are.
text <- function(x) {
  if (is.character(x)) return(paste0("\"", x, "\""))
  number <- formatC(x, digits = 17, format = "g", width = 1)
  if (length(x) == 1) number else paste0("[", paste(number, collapse = ", "), "]")
}
lines <- sprintf("  \"%s\": %s", names(results), vapply(results, text, ""))
writeLines(c("{", paste(lines, collapse = ",\n"), "}"), file.path("docs", "migration.json"))
