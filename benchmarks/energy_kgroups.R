# One clustering by energy::kgroups: rows of doubles in, labels of integers out.
# Prints the seconds of dist() and kgroups(), and the peak memory of the process in kB.
arguments <- commandArgs(trailingOnly = TRUE)
n <- as.integer(arguments[3])
columns <- as.integer(arguments[4])
k <- as.integer(arguments[5])
alpha <- as.numeric(arguments[6])
suppressPackageStartupMessages(library(energy))
x <- matrix(readBin(arguments[1], "double", n * columns), n, columns, byrow = FALSE)
set.seed(as.integer(arguments[7]))
clusters <- NULL
seconds <- system.time({
  distances <- if (alpha == 1) dist(x) else dist(x)^alpha
  clusters <- kgroups(distances, k, nstart = 1)
})[["elapsed"]]
writeBin(as.integer(clusters$cluster), arguments[2])
status <- if (file.exists("/proc/self/status")) readLines("/proc/self/status") else character()
peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE)))
cat(seconds, if (length(peak)) peak else NA, "\n")
