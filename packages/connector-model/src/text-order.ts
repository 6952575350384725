/** Compares two texts by code point, ignoring case: the order of names in catalogue lists. */
export function compareText(a: string, b: string): number {
  return compareCodePoints(a.toLowerCase(), b.toLowerCase());
}

/** Compares two texts by code point; JavaScript's own order is by UTF-16 unit. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [unitA, unitB] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (unitA !== unitB) return rankOf(unitA) - rankOf(unitB);
  }
  return a.length - b.length;
}

/** The place of a UTF-16 unit in the order of code points: surrogates, of which those above U+FFFF consist, come last. */
function rankOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x1_00_00 : unit;
}
