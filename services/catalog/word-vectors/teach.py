"""Makes src/search/word-vectors.bin of the table that make.py makes. Read README.md beside this file first."""

import json
import sys
from pathlib import Path

import numpy
from make import DIMENSIONS, tool_texts, unit, words_of, write

HERE = Path(__file__).parent
# Teaching: passes over all lessons; the share of words that a pass leaves out; how much the best tools count; how firmly words keep their vectors.
PASSES, LEFT_OUT, SHARPNESS, FIRMNESS = 50, 0.2, 12, 0.02
# A saying is for the tools whose names are the most like its words, and of these for those that are not much less like them than the first one.
TOOLS_OF_SAYING, LEAST_LIKENESS = 8, 0.6


def sums_of(table, texts):
    """The sum of the vectors of each text's words. The table ends with a row of zeros."""
    longest = max(len(each) for each in texts)
    words = numpy.array([each + [len(table) - 1] * (longest - len(each)) for each in texts])
    return words, sum(table[words[:, at]] for at in range(longest))


def lessons(table, read, named):
    """What people ask for, as words, and the tools that answer it."""
    found = []
    names = unit(sums_of(table, [read(name) for name, _ in named])[1])
    for line in (HERE / "sayings.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        meant, sayings = line.split(": ")
        likeness = names @ unit(sums_of(table, [read(meant)])[1])[0]
        best = numpy.argsort(-likeness, kind="stable")[:TOOLS_OF_SAYING]
        tools = best[likeness[best] > LEAST_LIKENESS * likeness.max()]
        found += [(read(saying), tools) for saying in sayings.split(", ")]
    places = {slug: at for at, (_, slug) in enumerate(named)}
    for line in (HERE / "queries.tsv").read_text().splitlines():
        query, slugs = line.split("\t")
        found.append((read(query), numpy.array([places[slug] for slug in slugs.split(" ")])))
    return [(words, tools) for words, tools in found if words]


def teach(first, taught, tools):
    """Changes the vectors of the words that people use, so that what they ask for is more like the tools that answer it than like others."""
    table = first.copy()
    mean, square = numpy.zeros_like(table), numpy.zeros_like(table)
    words, _ = sums_of(table, [asked for asked, _ in taught])
    none = len(table) - 1
    rows = numpy.setdiff1d(words, [none])
    wanted = numpy.zeros((len(taught), len(tools)), numpy.float32)
    for at, (_, answers) in enumerate(taught):
        wanted[at, answers] = 1 / len(answers)
    draw = numpy.random.default_rng(0)
    for turn in range(1, PASSES + 1):
        offered = unit(sums_of(table, tools)[1])
        left = numpy.where(draw.random(words.shape) < LEFT_OUT, none, words)
        sums = sum(table[left[:, at]] for at in range(left.shape[1]))
        lengths = numpy.linalg.norm(sums, axis=1, keepdims=True) + 1e-3
        asked = sums / lengths
        scores = SHARPNESS * (asked @ offered.T)
        chances = numpy.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        slopes = SHARPNESS * ((chances - wanted) @ offered)
        slopes = (slopes - (slopes * asked).sum(1, keepdims=True) * asked) / lengths
        slope = numpy.zeros_like(table)
        for at in range(left.shape[1]):
            numpy.add.at(slope, left[:, at], slopes)
        pull = slope[rows] + FIRMNESS * len(taught) / 1000 * (table[rows] - first[rows])
        mean[rows] = 0.9 * mean[rows] + 0.1 * pull
        square[rows] = 0.99 * square[rows] + 0.01 * pull**2
        steady = numpy.sqrt(square[rows] / (1 - 0.99**turn)) + 0.01
        table[rows] -= 0.05 * mean[rows] / (1 - 0.9**turn) / steady
    return table


def main(made, catalogue, out):
    header, _, body = Path(made).read_bytes().partition(b"\n")
    words = json.loads(header)["words"]
    table = numpy.frombuffer(body, numpy.int8).reshape(-1, DIMENSIONS).astype(numpy.float32)
    table = numpy.concatenate([table / numpy.abs(table).mean(), numpy.zeros((1, DIMENSIONS))]).astype(numpy.float32)
    place = {word: at for at, word in enumerate(words)}

    def read(text):
        return [place[word] for word in words_of(text)[:60] if word in place]

    _, served, named = tool_texts(catalogue)
    taught = lessons(table, read, named)
    write(out, words, teach(table, taught, [read(text) for text in served])[:-1])
    print(f"{len(taught)} questions")


if __name__ == "__main__":
    main(*sys.argv[1:])
