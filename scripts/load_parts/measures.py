"""Percentiles, slopes, and plots as SVG."""


def percentile(values, share):
    """In milliseconds, of durations in seconds; 0 of none."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000 if values else 0.0


def slope(points):
    """How steeply a straight line through the points rises: y for each x."""
    if len(points) < 2:
        return 0.0
    x_mean, y_mean = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / spread if spread else 0.0


COLOURS = ("#1b6ca8", "#b8480f", "#2e7d32", "#7b3fa0", "#444444")


def plot(title, unit, series, limit=None):
    """Lines over minutes as SVG; `series` has a name and points (minute, value) for each line."""
    width, height, left, top, bottom = 760, 300, 64, 40, 36
    points = [point for _, line in series for point in line]
    if not points:
        return ""
    most_x = max(x for x, _ in points) or 1
    most_y = max([y for _, y in points] + ([limit] if limit else [])) * 1.08 or 1

    def at(x, y):
        return f"{left + x / most_x * (width - left - 16):.1f},{height - bottom - y / most_y * (height - top - bottom):.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/><text x="{left}" y="18" font-size="14">{title}, {unit}</text>']
    for step in range(5):
        value = most_y * step / 4
        y = at(0, value).split(",")[1]
        parts.append(f'<line x1="{left}" x2="{width - 16}" y1="{y}" y2="{y}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y}" text-anchor="end" dy="4">{value:.4g}</text>')
    for step in range(5):
        x = at(most_x * step / 4, 0).split(",")[0]
        parts.append(f'<text x="{x}" y="{height - 16}" text-anchor="middle">{most_x * step / 4:.3g} min</text>')
    if limit:
        parts.append(f'<polyline points="{at(0, limit)} {at(most_x, limit)}" stroke="#c00" stroke-dasharray="6 4" fill="none"/>')
    for number, (name, line) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<polyline points="{" ".join(at(x, y) for x, y in line)}" stroke="{colour}" stroke-width="1.6" fill="none"/>'
                     f'<text x="{left + 130 * number}" y="34" fill="{colour}">{name}</text>')
    return "\n".join(parts) + "\n</svg>\n"
