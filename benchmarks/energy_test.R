# One test of equal distributions by energy::eqdist.etest: rows of doubles in, in two halves.
# Prints the seconds of the test, its statistic and its p-value.
arguments <- commandArgs(trailingOnly = TRUE)
n <- as.integer(arguments[2])
columns <- as.integer(arguments[3])
permutations <- as.integer(arguments[4])
suppressPackageStartupMessages(library(energy))
x <- matrix(readBin(arguments[1], "double", n * columns), n, columns, byrow = FALSE)
set.seed(0)
seconds <- system.time(
  found <- eqdist.etest(x, c(n %/% 2, n - n %/% 2), distance = FALSE, R = permutations)
)[["elapsed"]]
cat(seconds, format(unname(found$statistic), digits = 15), found$p.value, "\n")
