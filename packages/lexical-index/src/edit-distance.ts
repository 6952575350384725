/**
 * Whether one text becomes the other by at most `edits` (1 or 2) insertions, deletions, replacements and exchanges of
 * two neighbouring letters. Takes time in proportion to the length of the shorter text.
 */
export function isWithinEdits(a: string, b: string, edits: number): boolean {
  let start = 0;
  let endA = a.length;
  let endB = b.length;
  while (start < endA && start < endB && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA -= 1;
    endB -= 1;
  }
  // The remaining parts begin and end with different letters.
  const [leftA, leftB] = [endA - start, endB - start];
  if (leftA === 0 || leftB === 0) return leftA + leftB <= edits;
  const isExchange =
    leftA >= 2 &&
    leftB >= 2 &&
    a.charCodeAt(start) === b.charCodeAt(start + 1) &&
    a.charCodeAt(start + 1) === b.charCodeAt(start);
  if (edits === 1) return (leftA === 1 && leftB === 1) || (isExchange && leftA === 2 && leftB === 2);
  const [restA, restB] = [a.slice(start, endA), b.slice(start, endB)];
  return (
    isWithinEdits(restA.slice(1), restB.slice(1), edits - 1) ||
    isWithinEdits(restA.slice(1), restB, edits - 1) ||
    isWithinEdits(restA, restB.slice(1), edits - 1) ||
    (isExchange && isWithinEdits(restA.slice(2), restB.slice(2), edits - 1))
  );
}
