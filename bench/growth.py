"""Draws how a row's cost grows with the vocabulary and with the batch, as one SVG.

    growth.py SAMPLING.jsonl GROWTH.svg

The input is what sampling_bench prints. Model-like rows; both axes are logarithmic, so that a cost in proportion to the
vocabulary is a line of slope 1.
"""
import html
import json
import math
import sys

COLORS = {"greedy": "#1b6ca8", "top_k:40+temperature": "#2a9d54", "min_p:0.05+temperature": "#8a5fb0",
          "temperature": "#d1495b", "top_p:0.95+temperature": "#c77d0a", "all": "#444444"}
READ = "bare read"
WIDTH, HEIGHT, LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT = 980, 400, 70, 50, 310, 280


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if "name" in row and row["threads"] == 1]


def series(rows, across, fixed):
    """{name: [(x, us)]} over the field `across`, where the field and value `fixed` hold."""
    found = {}
    field, value = fixed
    for row in rows:
        if row["rows"] != "model-like" or row[field] != value:
            continue
        found.setdefault(row["name"], []).append((row[across], row["us_per_row"]))
        if row["name"] == "greedy":
            found.setdefault(READ, []).append((row[across], row["read_us_per_row"]))
    return {name: sorted(points) for name, points in found.items()}


class Scale:
    def __init__(self, values, begin, end):
        self.low, self.high = math.log(min(values)), math.log(max(values))
        if self.high == self.low:
            self.low, self.high = self.low - 1, self.high + 1
        self.begin, self.end = begin, end

    def __call__(self, value):
        return self.begin + (math.log(value) - self.low) / (self.high - self.low) * (self.end - self.begin)


def ticks(low, high):
    """1, 2 and 5 of each power of ten between two values."""
    found = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        found += [m * 10 ** power for m in (1, 2, 5) if low <= m * 10 ** power <= high]
    return found


def panel(lines, left, title, label, most):
    xs = sorted({x for points in lines.values() for x, _ in points})
    ys = [y for points in lines.values() for _, y in points]
    bottom = TOP + PANEL_HEIGHT
    x_of = Scale(xs, left, left + PANEL_WIDTH)
    y_of = Scale([min(ys) * 0.8, most * 1.2], bottom, TOP)
    out = [f'<text x="{left}" y="{TOP - 18}" font-weight="bold">{html.escape(title)}</text>',
           f'<text x="{left + PANEL_WIDTH / 2}" y="{bottom + 40}" text-anchor="middle">{html.escape(label)}</text>']
    for tick in ticks(min(ys) * 0.8, most * 1.2):
        y = y_of(tick)
        out.append(f'<path d="M{left} {y:.1f}h{PANEL_WIDTH}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for x in xs:
        out.append(f'<path d="M{x_of(x):.1f} {bottom}v5" stroke="#666"/>')
        out.append(f'<text x="{x_of(x):.1f}" y="{bottom + 19}" text-anchor="middle">{x:,}</text>')
    out.append(f'<path d="M{left} {TOP}V{bottom}H{left + PANEL_WIDTH}" fill="none" stroke="#666"/>')
    for name, points in lines.items():
        dash = ' stroke-dasharray="5 4"' if name == READ else ""
        color = COLORS.get(name, "#999")
        path = "L".join(f"{x_of(x):.1f} {y_of(y):.1f}" for x, y in points)
        out.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{color}"/>' for x, y in points]
    return out


def draw(rows):
    batch = max(row["batch"] for row in rows)
    vocabularies = sorted({row["vocab"] for row in rows if row["rows"] == "model-like"})
    vocabulary = 128256 if 128256 in vocabularies else vocabularies[-1]
    panels = [(series(rows, "vocab", ("batch", batch)), f"batches of {batch}", "logits a row"),
              (series(rows, "batch", ("vocab", vocabulary)), f"rows of {vocabulary:,} logits", "rows a batch")]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="16" y="{TOP - 18}">µs a row</text>']
    most = max(y for lines, _, _ in panels for points in lines.values() for _, y in points)
    for i, (lines, title, label) in enumerate(panels):
        out += panel(lines, LEFT + i * (PANEL_WIDTH + 60), title, label, most)
    for i, (name, color) in enumerate([*COLORS.items(), (READ, "#999")]):
        y = TOP + 14 + 20 * i
        x = LEFT + 2 * (PANEL_WIDTH + 60) - 20
        dash = ' stroke-dasharray="5 4"' if name == READ else ""
        out.append(f'<path d="M{x} {y - 4}h22" stroke="{color}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{x + 28}" y="{y}">{html.escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(draw(read(arguments[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
