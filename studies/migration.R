# What pROC says of the lines of R on the page on migration.
#
# Run from the repository root:   Rscript studies/migration.R [FILE]
# Writes:                         studies/migration.json, or FILE
#
# The lines are read from docs/migration.md and run in their order, each exactly as it is printed
# there. Every line starts from the same seed, so that its bootstrap depends on no other line.

suppressMessages(library(pROC))
options(pROCProgress = list(name = "none"))
seed <- 1

page <- readLines(file.path("docs", "migration.md"))
first <- which(page == "```r")
fences <- which(page == "```")
last <- vapply(first, function(i) min(fences[fences > i]), 1)
blocks <- Map(function(i, j) page[(i + 1):(j - 1)], first, last)

# The numbers of a result, by name where they have names.
numbers <- function(x) {
  if (inherits(x, "htest")) return(c(x$statistic, x$parameter, p.value = x$p.value, x$estimate))
  if (inherits(x, "power.htest")) return(unlist(x[c("ncases", "ncontrols", "power")]))
  if (is.data.frame(x)) return(unlist(x))
  as.numeric(x)
}

# A small writer: 17 significant digits, so that numbers read back as they are.
quoted <- function(x) paste0("\"", gsub("\"", "\\\"", x, fixed = TRUE), "\"")
text <- function(x) {
  if (is.character(x)) return(quoted(x))
  digits <- ifelse(is.na(x), "null", formatC(x, digits = 17, format = "g", width = 1))
  if (!is.null(names(x))) {
    return(paste0("{", paste0(quoted(names(x)), ": ", digits, collapse = ", "), "}"))
  }
  if (length(x) == 1) digits else paste0("[", paste(digits, collapse = ", "), "]")
}

said <- list()
for (block in blocks) {
  lines <- parse(text = block, keep.source = TRUE)
  for (i in seq_along(lines)) {
    set.seed(seed)
    result <- suppressMessages(suppressWarnings(withVisible(eval(lines[[i]], globalenv()))))
    if (result$visible) {
      line <- paste(as.character(attr(lines, "srcref")[[i]]), collapse = " ")
      said[[line]] <- text(numbers(result$value))
    }
  }
}

file <- c(commandArgs(trailingOnly = TRUE), file.path("studies", "migration.json"))[1]
writeLines(c(
  "{",
  paste0("  \"r\": ", quoted(R.version.string), ","),
  paste0("  \"proc\": ", quoted(as.character(packageVersion("pROC"))), ","),
  paste0("  \"seed\": ", seed, ","),
  "  \"said\": {",
  paste0("    ", quoted(names(said)), ": ", unlist(said), collapse = ",\n"),
  "  }",
  "}"
), file)
