"""The statistics of scipy, for tests/experiment/scipy.rs to compare with.

Reads cases from standard input, one a line, and prints the numbers of each on one line:

    friedman SETS METHODS cost …      chi-square, p, F, p of F
    wilcoxon first second …           p, the lesser of both sums
    range COUNT x                     chance above x
    quantile COUNT alpha              the x of that chance
"""

import sys
import warnings

import numpy as np
from scipy import stats

warnings.filterwarnings("ignore")


def friedman(sets, methods, *costs):
    n, k = int(sets), int(methods)
    table = np.array(costs).reshape(n, k)
    if k == 2:
        # scipy asks for three; for two it is the test of signs, squared.
        signs = np.sign(table[:, 0] - table[:, 1])
        chi = signs.sum() ** 2 / np.abs(signs).sum()
        p = stats.chi2.sf(chi, 1)
    else:
        chi, p = stats.friedmanchisquare(*table.T)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    return chi, p, f, stats.f.sf(f, k - 1, (k - 1) * (n - 1))


def wilcoxon(*costs):
    pairs = np.array(costs).reshape(-1, 2)
    result = stats.wilcoxon(pairs[:, 0], pairs[:, 1], zero_method="wilcox", method="auto")
    return result.pvalue, result.statistic


def above(count, x):
    return (stats.studentized_range.sf(x, int(count), np.inf),)


def quantile(count, alpha):
    return (stats.studentized_range.isf(alpha, int(count), np.inf),)


for line in sys.stdin:
    name, *numbers = line.split()
    case = {"friedman": friedman, "wilcoxon": wilcoxon, "range": above, "quantile": quantile}[name]
    print(*(repr(float(number)) for number in case(*map(float, numbers))))
