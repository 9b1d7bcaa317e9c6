# Results of pROC for the lines of R on the page on pROC.
#
# Run from the repository root:   Rscript studies/migration.R [FILE]
# Writes:                         studies/migration.json, or FILE
#
# The lines are read from docs/migration/proc.md and run in order, exactly as printed there. Every line
# starts from the same seed, so that its bootstrap does not depend on other lines.

suppressMessages(library(pROC))
options(pROCProgress = list(name = "none"))
seed <- 1

page <- readLines(file.path("docs", "migration", "proc.md"))
first <- which(page == "```r")
fences <- which(page == "```")
last <- vapply(first, function(i) min(fences[fences > i]), 1)
blocks <- Map(function(i, j) page[(i + 1):(j - 1)], first, last)

# The numbers of a result, with their names if they have any.
numbers <- function(x) {
  if (inherits(x, "htest")) return(c(x$statistic, x$parameter, p.value = x$p.value, x$estimate))
  if (inherits(x, "power.htest")) return(unlist(x[c("ncases", "ncontrols", "power")]))
  if (is.data.frame(x)) return(unlist(x))
  as.numeric(x)
}

# JSON with 17 significant digits, so that numbers are read back exactly.
quoted <- function(x) paste0("\"", gsub("\"", "\\\"", x, fixed = TRUE), "\"")
text <- function(x) {
  if (is.character(x)) return(quoted(x))
  digits <- ifelse(is.na(x), "null", formatC(x, digits = 17, format = "g", width = 1))
  if (!is.null(names(x))) {
    return(paste0("{", paste0(quoted(names(x)), ": ", digits, collapse = ", "), "}"))
  }
  if (length(x) == 1) digits else paste0("[", paste(digits, collapse = ", "), "]")
}

results <- list()
for (block in blocks) {
  lines <- parse(text = block, keep.source = TRUE)
  for (i in seq_along(lines)) {
    set.seed(seed)
    result <- suppressMessages(suppressWarnings(withVisible(eval(lines[[i]], globalenv()))))
    if (result$visible) {
      line <- paste(as.character(attr(lines, "srcref")[[i]]), collapse = " ")
      results[[line]] <- text(numbers(result$value))
    }
  }
}

file <- c(commandArgs(trailingOnly = TRUE), file.path("studies", "migration.json"))[1]
writeLines(c(
  "{",
  paste0("  \"r\": ", quoted(R.version.string), ","),
  paste0("  \"proc\": ", quoted(as.character(packageVersion("pROC"))), ","),
  paste0("  \"seed\": ", seed, ","),
  "  \"results\": {",
  paste0("    ", quoted(names(results)), ": ", unlist(results), collapse = ",\n"),
  "  }",
  "}"
), file)
