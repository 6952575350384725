/** The value below which the share `q` (0 to 1) of the values lies; 0 if there are none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

/** The median. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Half the interquartile range as a share of the median: how much a figure varies from round to round. */
export function noise(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / middle;
}
